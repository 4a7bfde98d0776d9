import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { DirectoryIndex } from '../../../src/server/files/directory-index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

let root: string
let index: DirectoryIndex

beforeEach(() => {
  root = temporaryDirectory()
  index = new DirectoryIndex()
})

const touch = (...names: string[]) => {
  for (const name of names) writeFileSync(join(root, name), '')
}

/** As if the directory had last changed a minute ago, so that it is kept. */
const laterMs = () => Date.now() + 60_000
const names = (stem: string, nowMs = laterMs()) => [...index.namesWithStem(root, stem, nowMs)].sort()

describe('DirectoryIndex', () => {
  it('finds the names that continue with a dot', () => {
    touch('a.txt', 'a.html', 'a', 'ab.txt', 'b.txt', 'A.txt', 'a.tar.gz', '.a.txt')
    expect(names('a')).toEqual(['a.html', 'a.tar.gz', 'a.txt'])
    expect(names('a.tar')).toEqual(['a.tar.gz'])
    expect(names('.a')).toEqual(['.a.txt'])
    expect(names('c')).toEqual([])
    expect(names('')).toEqual([])
  })

  it.each(['__proto__', 'constructor', 'toString'])('treats %s as an ordinary name', (stem) => {
    touch(`${stem}.txt`)
    expect(names(stem)).toEqual([`${stem}.txt`])
    expect(names(`${stem}x`)).toEqual([])
  })

  it('sees each change at the next query', () => {
    touch('a.txt')
    expect(names('a')).toEqual(['a.txt'])
    touch('a.html')
    expect(names('a')).toEqual(['a.html', 'a.txt'])
    rmSync(join(root, 'a.txt'))
    expect(names('a')).toEqual(['a.html'])
    renameSync(join(root, 'a.html'), join(root, 'b.html'))
    expect(names('a')).toEqual([])
  })

  it('sees a change that keeps the old modification time', () => {
    const old = new Date(1_700_000_000_000)
    touch('a.txt')
    utimesSync(root, old, old)
    expect(names('a')).toEqual(['a.txt'])
    touch('a.html')
    utimesSync(root, old, old)
    expect(names('a')).toEqual(['a.html', 'a.txt'])
  })

  it('sees changes within one clock tick in a changing directory', () => {
    for (let round = 0; round < 50; round++) {
      touch(`a.${round}`)
      expect(names('a', Date.now())).toHaveLength(round + 1)
    }
  })

  it('notices that the directory was replaced', () => {
    touch('a.txt')
    expect(names('a')).toEqual(['a.txt'])
    rmSync(root, { recursive: true })
    mkdirSync(root)
    touch('a.md')
    expect(names('a')).toEqual(['a.md'])
  })

  it('finds nothing without a directory', () => {
    touch('file')
    expect(index.namesWithStem(join(root, 'file'), 'a', laterMs())).toEqual([])
    expect(index.namesWithStem(join(root, 'none'), 'a', laterMs())).toEqual([])
  })

  it('answers from its cache: the same list while nothing changes', () => {
    touch('a.txt')
    const nowMs = laterMs()
    expect(index.namesWithStem(root, 'a', nowMs)).toBe(index.namesWithStem(root, 'a', nowMs))
  })

  it('evicts the least recently used directory when it keeps too much', () => {
    const small = new DirectoryIndex(5)
    for (const name of ['one', 'two', 'three']) {
      mkdirSync(join(root, name))
      touch(`${name}/a.txt`)
    }
    const nowMs = laterMs()
    const ask = (name: string) => small.namesWithStem(join(root, name), 'a', nowMs)
    const first = ask('one')
    const second = ask('two')
    expect(ask('one')).toBe(first)
    ask('three')
    expect(ask('one')).toBe(first)
    expect(ask('two')).not.toBe(second)
  })
})
