import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type OpenOutcome, openServedFile as openBelow, ServedFile } from '../../../src/server/files/served-file.ts'
import { defaultVisibility, type Visibility } from '../../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

let parent: string
let root: string

beforeEach(() => {
  parent = temporaryDirectory()
  root = join(parent, 'root')
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(join(parent, 'outside'))
  writeFileSync(join(root, 'sub', 'b.txt'), 'inside')
  writeFileSync(join(parent, 'outside', 'b.txt'), 'secret')
})

const openServedFile = (names: readonly string[], visibility: Partial<Visibility> = {}): OpenOutcome =>
  openBelow({ root, visibility: { ...defaultVisibility, ...visibility } }, names, Date.now())

function open(...names: string[]): ServedFile {
  const outcome = openServedFile(names)
  if (!(outcome instanceof ServedFile)) throw new Error(`not a file: ${outcome}`)
  onTestFinished(() => outcome.close())
  return outcome
}

/** The whole content; undefined if the file changed meanwhile. */
function contentOf(file: ServedFile): string | undefined {
  return file.readWhole()?.toString()
}

/** Runs a loop in a separate thread until the test has finished. `step` sees node:fs as `fs` and `paths`. */
async function keepDoing(step: string, paths: Readonly<Record<string, string>>): Promise<void> {
  const isStopped = new Int32Array(new SharedArrayBuffer(4))
  const program = `
    const fs = require('node:fs')
    const { parentPort, workerData: { paths, isStopped } } = require('node:worker_threads')
    parentPort.postMessage('started')
    while (Atomics.load(isStopped, 0) === 0) { ${step} }`
  const worker = new Worker(program, { eval: true, workerData: { paths, isStopped } })
  onTestFinished(async () => {
    Atomics.store(isStopped, 0, 1)
    await once(worker, 'exit')
  })
  await once(worker, 'message')
}

describe('openServedFile', () => {
  it('never leads outside through a directory that is repeatedly replaced by a link', async () => {
    await keepDoing(
      `fs.renameSync(paths.sub, paths.spare)
       fs.symlinkSync(paths.outside, paths.sub)
       fs.unlinkSync(paths.sub)
       fs.renameSync(paths.spare, paths.sub)`,
      { sub: join(root, 'sub'), spare: join(root, 'spare'), outside: join(parent, 'outside') },
    )
    const outcomes = new Set<unknown>()
    for (let count = 0; count < 20_000; count++) {
      const outcome = openServedFile(['sub', 'b.txt'])
      outcomes.add(outcome instanceof ServedFile ? contentOf(outcome) : outcome)
      if (outcome instanceof ServedFile) outcome.close()
    }
    expect(outcomes).toContain('missing')
    expect(outcomes).not.toContain('secret')
  })

  it('never leads outside through a file that is repeatedly replaced by a link', async () => {
    await keepDoing(
      `fs.symlinkSync(paths.outside, paths.link)
       fs.renameSync(paths.link, paths.file)
       fs.writeFileSync(paths.link, 'inside')
       fs.renameSync(paths.link, paths.file)`,
      { file: join(root, 'c.txt'), link: join(root, 'spare'), outside: join(parent, 'outside', 'b.txt') },
    )
    const outcomes = new Set<unknown>()
    for (let count = 0; count < 20_000; count++) {
      const outcome = openServedFile(['c.txt'])
      outcomes.add(outcome instanceof ServedFile ? contentOf(outcome) : outcome)
      if (outcome instanceof ServedFile) outcome.close()
    }
    expect(outcomes).toContain('missing')
    expect(outcomes).not.toContain('secret')
  })

  it('finds files and directories while the root, a link, is repeatedly replaced', async () => {
    for (const release of ['release1', 'release2']) {
      mkdirSync(join(parent, release, 'sub'), { recursive: true })
      writeFileSync(join(parent, release, 'sub', 'b.txt'), 'inside')
    }
    symlinkSync('release1', join(parent, 'current'))
    root = join(parent, 'current')
    await keepDoing(
      `for (const release of ['release2', 'release1']) {
         fs.symlinkSync(release, paths.next)
         fs.renameSync(paths.next, paths.root)
       }`,
      { root, next: join(parent, 'next') },
    )
    const outcomes = new Set<unknown>()
    for (let count = 0; count < 5_000; count++) {
      const directory = openServedFile(['sub'])
      outcomes.add(typeof directory)
      const file = openServedFile(['sub', 'b.txt'])
      outcomes.add(file instanceof ServedFile ? contentOf(file) : file)
      if (file instanceof ServedFile) file.close()
    }
    expect(outcomes).toContain('inside')
    expect(outcomes).not.toContain('missing')
    expect(outcomes).not.toContain('string')
  })

  it('reports why no file was found', () => {
    symlinkSync('../outside/b.txt', join(root, 'link'))
    const outcomes = [['sub'], [], ['none'], ['sub', 'b.txt', 'c'], ['link'], ['x'.repeat(300)]].map((names) =>
      openServedFile(names),
    )
    expect(outcomes).toEqual([
      { path: join(root, 'sub'), root },
      { path: root, root },
      'missing',
      'missing',
      'missing',
      'missing',
    ])
  })

  it('leaves no descriptor open if it returns none', () => {
    const before = readdirSync('/proc/self/fd').length
    symlinkSync('/dev/null', join(root, 'device'))
    for (const names of [['sub'], ['none'], ['device'], ['sub', 'b.txt', 'c']]) openServedFile(names)
    expect(readdirSync('/proc/self/fd').length).toBe(before)
  })
})

describe('ServedFile', () => {
  const change: readonly (readonly [string, (file: string) => void])[] = [
    ['written', (file) => writeFileSync(file, 'INSIDE')],
    ['made shorter', (file) => truncateSync(file, 2)],
    ['made longer than before and written anew', (file) => writeFileSync(file, 'OUTSIDE AND MORE')],
    [
      'written and dated back',
      (file) => {
        writeFileSync(file, 'INSIDE')
        utimesSync(file, 1_700_000_000, 1_700_000_000)
      },
    ],
  ]

  it.each(change)('detects that it was %s', (_, alter) => {
    const path = join(root, 'sub', 'b.txt')
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    const file = open('sub', 'b.txt')
    expect(file.change()).toBe('none')
    alter(path)
    expect(file.change()).not.toBe('none')
    expect(contentOf(file)).toBeUndefined()
  })

  it('returns the original content if it has only grown', () => {
    const file = open('sub', 'b.txt')
    appendFileSync(join(root, 'sub', 'b.txt'), ' and more')
    expect(file.change()).toBe('grown')
    expect(contentOf(file)).toBe('inside')
  })

  it('keeps its content if another file takes its name', () => {
    const file = open('sub', 'b.txt')
    writeFileSync(join(root, 'next'), 'other')
    renameSync(join(root, 'next'), join(root, 'sub', 'b.txt'))
    expect(contentOf(file)).toBe('inside')
  })

  it('may be closed twice', () => {
    const file = open('sub', 'b.txt')
    const before = readdirSync('/proc/self/fd').length
    file.close()
    file.close()
    expect(readdirSync('/proc/self/fd').length).toBe(before - 1)
  })
})
