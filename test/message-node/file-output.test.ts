/** Files that are there completely or not at all, and the directories that they are in. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileOutput, makeDirectory } from '../../src/message-node/index.ts'

const isWindows = process.platform === 'win32'
let directory = ''
let path = ''

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'file-output-'))
  path = join(directory, 'a.txt')
})

afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

async function writeOver(target: string): Promise<void> {
  const output = await FileOutput.open(target)
  await output.write(Buffer.from('new'))
  await output.complete()
}

describe('a file output', () => {
  it('leaves the old file in its place until the new one is complete', async () => {
    await writeFile(path, 'old')
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('new'))
    expect(await readFile(path, 'utf8')).toBe('old')
    await output.complete()
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it('leaves nothing behind when it is given up', async () => {
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('new'))
    await output.discard()
    expect(await readdir(directory)).toEqual([])
  })

  it('leaves nothing behind when its name is taken meanwhile', async () => {
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('new'))
    await mkdir(path)
    await writeFile(join(path, 'inside'), '')
    await expect(output.complete()).rejects.toThrow(path)
    await output.discard()
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it.skipIf(isWindows).each([0o666, 0o640, 0o777])('keeps the mode of the old file: %i', async (mode) => {
    await writeFile(path, 'old')
    await chmod(path, mode)
    await writeOver(path)
    expect((await stat(path)).mode & 0o777).toBe(mode)
  })

  it.skipIf(isWindows)('writes to where a link leads', async () => {
    await writeFile(path, 'old')
    await symlink('a.txt', join(directory, 'link'))
    await writeOver(join(directory, 'link'))
    expect(await readFile(path, 'utf8')).toBe('new')
  })
})

describe('making a directory', () => {
  it('makes those above it', async () => {
    makeDirectory(join(directory, 'a', 'b', 'c'))
    expect((await stat(join(directory, 'a', 'b', 'c'))).isDirectory()).toBe(true)
  })

  it('leaves alone what is there', async () => {
    await writeFile(path, 'old')
    makeDirectory(directory)
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it('names the file that is in the way', async () => {
    await writeFile(path, 'old')
    expect(() => makeDirectory(join(path, 'b', 'c'))).toThrow(join(path, 'b'))
  })

  it.skipIf(process.platform !== 'linux')('fails where the system makes no directories', () => {
    expect(() => makeDirectory('/proc/none/below')).toThrow('/proc/none')
  })
})
