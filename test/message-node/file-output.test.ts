/** Files that appear completely or not at all, and the directories that they are in. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmod,
  chown,
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { FileOutput, makeDirectory } from '../../src/message-node/index.ts'

const isWindows = process.platform === 'win32'
const isRoot = process.getuid?.() === 0
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

type Write = (this: FileHandle, pieces: readonly Uint8Array[]) => Promise<unknown>

/** The handles of files that are opened from now on write as this does. */
async function writesAs(write: (original: Write) => Write) {
  const handle = await open(join(directory, 'other'), 'w')
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  await rm(join(directory, 'other'))
  const original: Write = prototype.writev
  const spy = vi.spyOn(prototype, 'writev').mockImplementation(write(original) as () => unknown)
  onTestFinished(() => spy.mockRestore())
  return spy
}

describe('a file output', () => {
  it('writes pieces together that come while the system writes', async () => {
    const writing = await writesAs((original) => original)
    const output = await FileOutput.open(path)
    for (let count = 0; count < 1000; count++) await output.write(Buffer.from('a'))
    expect(output.writtenBytes).toBe(1000)
    await output.complete()
    expect(writing.mock.calls.length).toBeLessThan(10)
    expect(await readFile(path, 'utf8')).toBe('a'.repeat(1000))
  })

  it('writes the rest when the system takes a part of the pieces', async () => {
    await writesAs(
      (original) =>
        function (pieces) {
          const bytes = Buffer.concat(pieces)
          return original.call(this, [bytes.subarray(0, Math.ceil(bytes.length / 3))])
        },
    )
    const output = await FileOutput.open(path)
    const pieces = ['a', 'bc', '', 'def', 'ghij', 'k'.repeat(50)]
    for (const piece of pieces) await output.write(Buffer.from(piece))
    await output.complete()
    expect(await readFile(path, 'utf8')).toBe(pieces.join(''))
  })

  it('that fails later leaves no file', async () => {
    await writesAs(() => () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })))
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('a'))
    await expect(output.complete()).rejects.toMatchObject({ code: 'output-failed' })
    expect(await readdir(directory)).toEqual([])
  })

  it('keeps the old file in place until the new one is complete', async () => {
    await writeFile(path, 'old')
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('new'))
    expect(await readFile(path, 'utf8')).toBe('old')
    await output.complete()
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it('leaves no files when abandoned', async () => {
    const output = await FileOutput.open(path)
    await output.write(Buffer.from('new'))
    await output.discard()
    expect(await readdir(directory)).toEqual([])
  })

  it('leaves no files when its name is taken meanwhile', async () => {
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

describe('a file output whose target is special', () => {
  it('accepts a name as long as the file system allows', async () => {
    const longest = join(directory, 'n'.repeat(255))
    await writeOver(longest)
    expect(await readFile(longest, 'utf8')).toBe('new')
  })

  it('reports a name that is too long before anything is written', async () => {
    await expect(FileOutput.open(join(directory, 'n'.repeat(256)))).rejects.toMatchObject({
      code: 'output-failed',
      message: expect.stringContaining('the name is too long'),
      hint: 'Choose a shorter name.',
    })
  })

  it('names the directory in which no file can be created', async () => {
    const missing = join(directory, 'none')
    await expect(FileOutput.open(join(missing, 'a.txt'))).rejects.toMatchObject({
      message: `cannot write to "${join(missing, 'a.txt')}": cannot create a file in "${missing}": no such file or directory`,
    })
  })

  it.skipIf(isWindows)('reports circular links', async () => {
    await symlink('a.txt', path)
    await expect(FileOutput.open(path)).rejects.toThrow('too many symbolic links')
  })

  it.skipIf(isWindows)('leaves the old content under other names (hard links) of the file', async () => {
    await writeFile(path, 'old')
    await link(path, join(directory, 'b.txt'))
    await writeOver(path)
    expect(await readFile(join(directory, 'b.txt'), 'utf8')).toBe('old')
  })

  it.skipIf(!isRoot)('keeps the owner of the old file', async () => {
    await writeFile(path, 'old')
    await chown(path, 1234, 2345)
    await writeOver(path)
    expect(await stat(path)).toMatchObject({ uid: 1234, gid: 2345 })
  })

  it.skipIf(isWindows || isRoot)('does not replace a read-only file', async () => {
    await writeFile(path, 'old', { mode: 0o400 })
    await expect(FileOutput.open(path)).rejects.toThrow('permission denied')
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it.skipIf(isWindows)('writes to a device directly', async () => {
    await symlink('/dev/null', path)
    await writeOver(path)
    expect((await stat(path)).isCharacterDevice()).toBe(true)
  })

  it.skipIf(process.platform !== 'linux')('reports a device that is full', async () => {
    const full = { message: 'cannot write to "/dev/full": no space left on the device' }
    const output = await FileOutput.open('/dev/full')
    await output.write(Buffer.from('new'))
    await expect(output.complete()).rejects.toMatchObject(full)
    await expect(output.write(Buffer.from('more'))).rejects.toMatchObject(full)
  })

  it.skipIf(isWindows)('keeps the order of the pieces, and waits for a slow reader', async () => {
    const pieces = Array.from({ length: 3000 }, (_, index) => Buffer.alloc(1 + ((index * 977) % 9000), String(index)))
    execFileSync('mkfifo', [path])
    // Opened for both directions, the pipe has a reader from the start.
    const reader = await open(path, 'r+')
    const output = await FileOutput.open(path)
    let isWritten = false
    const written = (async () => {
      for (const piece of pieces) await output.write(piece)
      isWritten = true
      await output.complete()
    })()
    const expected = Buffer.concat(pieces)
    const received: Buffer[] = []
    for (let count = 0; count < expected.length; ) {
      const { buffer, bytesRead } = await reader.read(Buffer.alloc(65_536))
      // The reader lags by no more than the pieces that wait, those that are being written, and the pipe.
      if (count + bytesRead < expected.length - 3 * 1024 * 1024) expect(isWritten).toBe(false)
      received.push(buffer.subarray(0, bytesRead))
      count += bytesRead
    }
    await written
    await reader.close()
    expect(Buffer.concat(received).equals(expected)).toBe(true)
  })
})

describe('a file output that keeps existing files', () => {
  const keeping = async (text: string): Promise<string> => {
    const output = await FileOutput.open(path, { shouldKeepExisting: true })
    await output.write(Buffer.from(text))
    await output.complete()
    return output.path
  }

  it('uses the first free name', async () => {
    expect(await keeping('0')).toBe(path)
    expect(await keeping('1')).toBe(join(directory, 'a-1.txt'))
    await writeFile(join(directory, 'a-2.txt'), 'old')
    expect(await keeping('3')).toBe(join(directory, 'a-3.txt'))
    expect(await readFile(path, 'utf8')).toBe('0')
  })

  it('loses none of several files written at the same time', async () => {
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`)
    const paths = await Promise.all(texts.map(keeping))
    expect(new Set(paths).size).toBe(10)
    expect(await Promise.all(paths.map((each) => readFile(each, 'utf8')))).toEqual(texts)
    expect(await readdir(directory)).toHaveLength(10)
  })
})

describe('the partial files of other processes', () => {
  /** The name of a partial file of this process, in its fields. */
  async function ownName(): Promise<readonly [machine: string, processId: string, start: string]> {
    const place = await mkdtemp(join(tmpdir(), 'partial-'))
    const output = await FileOutput.open(join(place, 'a'))
    const [name = ''] = await readdir(place)
    await output.discard()
    await rm(place, { recursive: true })
    const [, machine = '', processId = '', start = ''] = /^\.httpcli-(.*-.*)-(.*)-(.*)-.*\.part$/.exec(name) ?? []
    return [machine, processId, start]
  }

  const isLeft = async (name: string): Promise<boolean> => {
    await writeFile(join(directory, name), 'half')
    await (await FileOutput.open(path)).discard()
    return (await readdir(directory)).includes(name)
  }

  const endedProcess = (): number => spawnSync(process.execPath, ['-e', '']).pid

  it('are deleted when the process has ended', async () => {
    const [machine] = await ownName()
    expect(await isLeft(`.httpcli-${machine}-${endedProcess()}-1-abc.part`)).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')('are deleted when another process has its id now', async () => {
    const [machine, processId, start] = await ownName()
    expect(await isLeft(`.httpcli-${machine}-${processId}-${Number(start) + 1}-abc.part`)).toBe(false)
  })

  it('are kept while the process runs', async () => {
    const [machine, processId, start] = await ownName()
    expect(await isLeft(`.httpcli-${machine}-${processId}-${start}-abc.part`)).toBe(true)
  })

  it('stay when they are of another machine', async () => {
    const [machine] = await ownName()
    const other = machine.replace(/^./, (digit) => (digit === 'a' ? 'b' : 'a'))
    expect(await isLeft(`.httpcli-${other}-${endedProcess()}-1-abc.part`)).toBe(true)
  })

  it.each(['.a.txt.x1y2z3.part', '.httpcli-notes.part', '.httpcli-{}-1-abc.part.txt'])(
    'do not include files that only look like them: %s',
    async (template) => {
      const [machine] = await ownName()
      expect(await isLeft(template.replace('{}', `${machine}-${endedProcess()}`))).toBe(true)
    },
  )

  it.skipIf(isWindows)('are not deleted if they are links', async () => {
    const [machine] = await ownName()
    const name = `.httpcli-${machine}-${endedProcess()}-1-abc.part`
    await writeFile(join(directory, 'precious'), 'text')
    await symlink('precious', join(directory, name))
    await (await FileOutput.open(path)).discard()
    expect((await readdir(directory)).toSorted()).toEqual([name, 'precious'])
  })
})

describe('creating a directory', () => {
  it('creates its parents', async () => {
    makeDirectory(join(directory, 'a', 'b', 'c'))
    expect((await stat(join(directory, 'a', 'b', 'c'))).isDirectory()).toBe(true)
  })

  it('does not touch existing files', async () => {
    await writeFile(path, 'old')
    makeDirectory(directory)
    expect(await readdir(directory)).toEqual(['a.txt'])
  })

  it('names the file that blocks it', async () => {
    await writeFile(path, 'old')
    // Later versions of Node.js name the file itself.
    expect(() => makeDirectory(join(path, 'b', 'c'))).toThrow(new RegExp(`'${path}(?:/b(?:/c)?)?'$`))
  })

  it.skipIf(process.platform !== 'linux')('fails where the system allows no directories', () => {
    expect(() => makeDirectory('/proc/none/below')).toThrow('/proc/none')
  })
})
