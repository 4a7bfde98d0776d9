import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openServedFile, type ServedDirectory } from '../../../src/server/files/served-file.ts'
import { DirectoryLister } from '../../../src/server/listing/listed-directory.ts'
import { defaultVisibility, type Visibility } from '../../../src/server/semantics/url-path.ts'
import { hostileNames } from '../../helpers/hostile-names.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

let outside: string
let root: string

beforeEach(() => {
  outside = realpathSync(temporaryDirectory())
  root = join(outside, 'root')
  mkdirSync(root)
})

async function listedNames(visibility: Partial<Visibility> = {}, directory = root, depth = 0): Promise<string[]> {
  const lister = new DirectoryLister({ visibility: { ...defaultVisibility, ...visibility } })
  return (await lister.list({ path: directory, root }, depth)).entries.map(({ name }) => name).toSorted()
}

describe('listing a directory', () => {
  it('gives type, size and date of each entry', async () => {
    writeFileSync(join(root, 'a.txt'), 'hello')
    utimesSync(join(root, 'a.txt'), 1_000_000, 1_000_000.5)
    mkdirSync(join(root, 'sub'))
    utimesSync(join(root, 'sub'), 2_000_000, 2_000_000)
    const listed = await new DirectoryLister({ visibility: defaultVisibility }).list({ path: root, root }, 0)
    expect(listed.isComplete).toBe(true)
    expect(listed.entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual([
      { name: 'a.txt', type: 'file', sizeBytes: 5, modifiedMs: 1_000_000_500 },
      { name: 'sub', type: 'directory', sizeBytes: 0, modifiedMs: 2_000_000_000 },
    ])
  })

  it('lists everything that can be requested', async () => {
    for (const name of hostileNames) writeFileSync(join(root, name), '')
    expect(await listedNames()).toEqual([...hostileNames].toSorted())
  })

  it.each([
    ['a hidden name', '.env'],
    ['a name that Windows reads as a device', 'nul.txt'],
    ['a name with a colon', 'a:b'],
    ['a name with a backslash', 'a\\b'],
    ['a name that ends in a dot', 'a.'],
    ['a name that ends in a blank', 'a '],
    ['the replacement character', 'a\ufffd'],
  ])('omits %s, which no request can name', async (_, name) => {
    writeFileSync(join(root, name), '')
    writeFileSync(join(root, 'b'), '')
    expect(await listedNames()).toEqual(['b'])
  })

  it('omits a name that is not UTF-8', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff, 0xfe])]), '')
    expect(await listedNames()).toEqual([])
  })

  it('shows hidden names if they are served, and /.well-known always', async () => {
    for (const name of ['.env', 'visible']) writeFileSync(join(root, name), '')
    mkdirSync(join(root, '.well-known', '.well-known'), { recursive: true })
    expect(await listedNames()).toEqual(['.well-known', 'visible'])
    expect(await listedNames({ allowsDotfiles: true })).toEqual(['.env', '.well-known', 'visible'])
    expect(await listedNames({}, join(root, '.well-known'), 1)).toEqual([])
  })

  it('shows links only to served files, unless links are followed', async () => {
    writeFileSync(join(outside, 'secret'), '')
    mkdirSync(join(outside, 'rooted'))
    mkdirSync(join(root, '.git'))
    mkdirSync(join(root, 'sub'))
    writeFileSync(join(root, 'a.txt'), '')
    const links = {
      'to-file': 'a.txt',
      'to-directory': 'sub',
      'to-root': '.',
      'to-secret': '../secret',
      'to-sibling': '../rooted',
      'to-hidden': '.git',
      'to-nothing': 'none',
      'to-itself': 'to-itself',
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name))
    expect(await listedNames()).toEqual(['a.txt', 'sub', 'to-directory', 'to-file', 'to-root'])
    const followed = await listedNames({ allowsOutsideSymlinks: true })
    expect(followed).toEqual(expect.arrayContaining(['to-secret', 'to-sibling']))
    expect(followed).not.toEqual(expect.arrayContaining(['to-nothing']))
  })

  it('shows links within a served directory that is a link itself and was replaced in the meantime', async () => {
    const current = join(outside, 'current')
    mkdirSync(join(outside, 'next'))
    symlinkSync('root', current)
    writeFileSync(join(root, 'a.txt'), '')
    symlinkSync('a.txt', join(root, 'to-file'))
    const visibility = defaultVisibility
    const found = openServedFile({ root: current, visibility }, [], Date.now()) as ServedDirectory
    rmSync(current)
    symlinkSync('next', current)
    const { entries } = await new DirectoryLister({ visibility }).list(found, 0)
    expect(entries.map(({ name }) => name).toSorted()).toEqual(['a.txt', 'to-file'])
  })

  it('omits pipes and sockets, without opening them', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync('pipe', join(root, 'to-pipe'))
    symlinkSync('/dev/zero', join(root, 'to-device'))
    expect(await listedNames({ allowsOutsideSymlinks: true })).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0)('omits what this process may not read', async () => {
    writeFileSync(join(root, 'locked'), '')
    chmodSync(join(root, 'locked'), 0)
    expect(await listedNames()).toEqual([])
  })

  it('stops at its limit and reports that there are more', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), '')
    const listed = async (maximum: number) => {
      const { entries, isComplete } = await new DirectoryLister({ visibility: defaultVisibility }, maximum).list(
        { path: root, root },
        0,
      )
      return [entries.length, isComplete]
    }
    expect(await listed(2)).toEqual([2, false])
    expect(await listed(3)).toEqual([3, true])
  })

  it('rejects for a deleted directory', async () => {
    await expect(listedNames({}, join(root, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('many clients that request one directory', () => {
  it('see the state at their request, and share two reads', async () => {
    const lister = new DirectoryLister({ visibility: defaultVisibility })
    const first = lister.list({ path: root, root }, 0)
    writeFileSync(join(root, 'late'), '')
    const others = [
      lister.list({ path: root, root }, 0),
      lister.list({ path: root, root }, 0),
      lister.list({ path: root, root }, 0),
    ]
    expect(new Set(others).size).toBe(1)
    await first
    const [second] = await Promise.all(others)
    expect(second?.entries.map(({ name }) => name)).toEqual(['late'])
    writeFileSync(join(root, 'later'), '')
    expect((await lister.list({ path: root, root }, 0)).entries).toHaveLength(2)
  })

  it('share one cached read while nothing changes', async () => {
    for (const name of ['a', 'b']) writeFileSync(join(root, name), '')
    const lister = new DirectoryLister({ visibility: defaultVisibility })
    const first = await lister.list({ path: root, root }, 0)
    expect(await lister.list({ path: root, root }, 0)).toBe(first)
    utimesSync(join(root, 'a'), 1, 1)
    const second = await lister.list({ path: root, root }, 0)
    expect(second).not.toBe(first)
    writeFileSync(join(root, 'b'), 'more')
    const third = await lister.list({ path: root, root }, 0)
    expect(third).not.toBe(second)
    expect(await lister.list({ path: root, root }, 0)).toBe(third)
  })

  it('get the next read if the current one fails', async () => {
    const lister = new DirectoryLister({ visibility: defaultVisibility })
    const path = join(root, 'sub')
    const first = lister.list({ path, root }, 1)
    const second = lister.list({ path, root }, 1)
    mkdirSync(path)
    await first.catch(() => undefined)
    expect((await second).entries).toEqual([])
  })

  it('do not block the event loop while many entries are read', async () => {
    for (let index = 0; index < 100; index++) writeFileSync(join(root, String(index)), '')
    // A millisecond passes with each question for the time, and a few are what all share of a turn.
    let nowMs = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => ++nowMs)
    onTestFinished(() => void vi.restoreAllMocks())
    const lister = new DirectoryLister({ visibility: defaultVisibility })
    let turns = 0
    let isReading = true
    const reading = lister.list({ path: root, root }, 0).finally(() => {
      isReading = false
    })
    while (isReading) {
      await new Promise((resolve) => setImmediate(resolve))
      turns += 1
    }
    expect((await reading).entries).toHaveLength(100)
    expect(turns).toBeGreaterThan(20)
  })
})
