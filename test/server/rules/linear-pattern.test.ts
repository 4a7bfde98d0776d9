/** Patterns as automata: what matches, what is captured, and that nothing is tried twice. */
import { describe, expect, it } from 'vitest'
import {
  anything,
  capture,
  choice,
  inSegment,
  LinearPattern,
  many,
  optional,
  sequence,
  text,
} from '../../../src/server/rules/linear-pattern.ts'

const captured = (pattern: LinearPattern, path: string) => {
  const found = pattern.match(path)
  return found && Object.fromEntries(found)
}

describe('a linear pattern', () => {
  it('matches whole paths only', () => {
    const pattern = new LinearPattern(text('/a'))
    expect([pattern.match('/a'), pattern.match('/ab'), pattern.match('a'), pattern.match('')].map(Boolean)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('captures what each part matched, the first part greedily', () => {
    const pattern = new LinearPattern(
      sequence(text('/'), capture('one', anything), text('-'), capture('two', many(inSegment, 1))),
    )
    expect(captured(pattern, '/a/b-c-d')).toEqual({ one: 'a/b-c', two: 'd' })
    expect(captured(pattern, '/a/b-')).toBeUndefined()
  })

  it('omits captures that did not participate', () => {
    const pattern = new LinearPattern(sequence(text('/a'), optional(sequence(text('/'), capture('rest', anything)))))
    expect(captured(pattern, '/a')).toEqual({})
    expect(captured(pattern, '/a/')).toEqual({ rest: '' })
  })

  it('repeats a pattern that may be empty without looping', () => {
    const pattern = new LinearPattern(sequence(many(optional(text('a'))), many(many(text('b')), 1)))
    expect(captured(pattern, 'aabb')).toEqual({})
    expect(captured(pattern, 'c')).toBeUndefined()
  })

  it('ignores case if requested, and captures the original text', () => {
    const pattern = new LinearPattern(sequence(text('/Docs/'), capture('name', anything)), { isCaseInsensitive: true })
    expect(captured(pattern, '/dOCS/ReadMe')).toEqual({ name: 'ReadMe' })
    // The lower case of this letter is longer than the letter.
    expect(captured(pattern, '/DOCS/\u0130X')).toEqual({ name: '\u0130X' })
  })

  it('knows the prefix of its paths', () => {
    const pattern = new LinearPattern(sequence(text('/a/b'), choice(text('c'), text('d'))))
    expect([pattern.prefix, pattern.firstSegment]).toEqual(['/a/b', '/a'])
  })
})
