import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { DirectoryWatch } from '../../../src/server/features/directory-watch.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

let root: string
let warnings: string[]
let changes: number
let isOfStyles: boolean | undefined
let wake: () => void

beforeEach(() => {
  root = temporaryDirectory()
  warnings = []
  changes = 0
  wake = () => undefined
})

async function watchRoot(maximumDirectories?: number): Promise<DirectoryWatch> {
  const watch = new DirectoryWatch(root, {
    onChange: (change) => {
      changes += 1
      isOfStyles = change.isOfStyles
      wake()
    },
    onWarning: (text) => warnings.push(text),
    ...(maximumDirectories === undefined ? {} : { maximumDirectories }),
  })
  onTestFinished(() => watch.close())
  await watch.ready
  return watch
}

/** The next change, reported after `act`. */
async function changeAfter(act: () => void): Promise<void> {
  const reported = new Promise<void>((resolve) => {
    wake = resolve
  })
  act()
  await reported
}

describe('watching a directory', () => {
  it('detects whether only style sheets changed', async () => {
    writeFileSync(join(root, 'a.css'), '')
    writeFileSync(join(root, 'a.txt'), '')
    await watchRoot()
    await changeAfter(() => writeFileSync(join(root, 'a.css'), 'a'))
    expect(isOfStyles).toBe(true)
    await changeAfter(() => {
      writeFileSync(join(root, 'a.txt'), 'a')
      writeFileSync(join(root, 'a.css'), 'aa')
    })
    expect(isOfStyles).toBe(false)
    await changeAfter(() => writeFileSync(join(root, 'a.css'), 'b'))
    expect(isOfStyles).toBe(true)
  })

  it('reports changes of its files', async () => {
    await watchRoot()
    const file = join(root, 'a.txt')
    await changeAfter(() => writeFileSync(file, ''))
    await changeAfter(() => writeFileSync(file, 'more'))
    await changeAfter(() => {
      writeFileSync(join(root, 'b.txt'), 'new')
      renameSync(join(root, 'b.txt'), file)
    })
    await changeAfter(() => rmSync(file))
    expect(warnings).toEqual([])
  })

  it('reports changes in subdirectories, old and new', async () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true })
    await watchRoot()
    await changeAfter(() => writeFileSync(join(root, 'a', 'b', 'x'), ''))
    await changeAfter(() => mkdirSync(join(root, 'new', 'deep'), { recursive: true }))
    // The new directories are watched a moment after they were reported.
    await changeAfter(() => writeFileSync(join(root, 'new', 'deep', 'x'), ''))
    await changeAfter(() => renameSync(join(root, 'new'), join(root, 'moved')))
    await changeAfter(() => writeFileSync(join(root, 'moved', 'deep', 'x'), 'again'))
    await changeAfter(() => rmSync(join(root, 'moved'), { recursive: true }))
    expect(warnings).toEqual([])
  })

  it('reports changes after the root was replaced', async () => {
    root = join(root, 'dist')
    mkdirSync(join(root, 'a'), { recursive: true })
    await watchRoot()
    await changeAfter(() => rmSync(root, { recursive: true }))
    await changeAfter(() => mkdirSync(join(root, 'a'), { recursive: true }))
    // The new root is watched a moment after it was reported.
    await changeAfter(() => writeFileSync(join(root, 'a', 'x'), ''))
    await changeAfter(() => {
      mkdirSync(join(root, '..', 'next'))
      renameSync(root, join(root, '..', 'previous'))
      renameSync(join(root, '..', 'next'), root)
    })
    await changeAfter(() => writeFileSync(join(root, 'x'), 'again'))
    expect(warnings).toEqual([])
  })

  it('reports changes after a directory above the root was replaced', async () => {
    const output = join(root, 'output')
    root = join(output, 'web', 'public')
    mkdirSync(root, { recursive: true })
    await watchRoot()
    await changeAfter(() => rmSync(output, { recursive: true }))
    await changeAfter(() => mkdirSync(root, { recursive: true }))
    // The new root is watched a moment after it was reported.
    await changeAfter(() => writeFileSync(join(root, 'x'), ''))
    const next = join(output, '..', 'next')
    await changeAfter(() => {
      mkdirSync(join(next, 'web', 'public'), { recursive: true })
      renameSync(output, join(output, '..', 'previous'))
      renameSync(next, output)
    })
    await changeAfter(() => writeFileSync(join(root, 'x'), 'again'))
    expect(warnings).toEqual([])
  })

  it('reports many changes at once as one', async () => {
    await watchRoot()
    await changeAfter(() => {
      for (let index = 0; index < 50; index++) writeFileSync(join(root, String(index)), '')
    })
    expect(changes).toBe(1)
  })

  it('ignores hidden directories and node_modules', async () => {
    for (const name of ['.git', 'node_modules']) mkdirSync(join(root, name))
    await watchRoot()
    for (const name of ['.git', 'node_modules']) writeFileSync(join(root, name, 'x'), '')
    writeFileSync(join(root, '.swp'), '')
    await changeAfter(() => writeFileSync(join(root, 'seen'), ''))
    expect(changes).toBe(1)
  })

  it('warns once if there are too many directories, and watches the others', async () => {
    for (const name of ['a', 'b', 'c', 'd']) mkdirSync(join(root, name))
    await watchRoot(2)
    expect(warnings).toEqual(['some changes will be missed: there are more than 2 directories'])
    await changeAfter(() => writeFileSync(join(root, 'x'), ''))
  })

  it('warns if nothing can be watched, and does not fail', async () => {
    writeFileSync(join(root, 'file'), '')
    const watch = new DirectoryWatch(join(root, 'none'), {
      onChange: () => undefined,
      onWarning: (text) => warnings.push(text),
    })
    await watch.ready
    watch.close()
    expect(warnings).toEqual([])
  })

  it('reports nothing after it is closed', async () => {
    const watch = await watchRoot()
    writeFileSync(join(root, 'x'), '')
    watch.close()
    const other = await watchRoot()
    const before = changes
    await changeAfter(() => writeFileSync(join(root, 'y'), ''))
    expect(changes).toBe(before + 1)
    other.close()
  })
})
