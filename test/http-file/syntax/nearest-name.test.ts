/** Suggestions for misspelt names. */
import { describe, expect, it } from 'vitest'
import { nearestNames } from '../../../src/http-file/index.ts'

describe('suggested names', () => {
  it.each([
    ['x', ['h', 'n', 't', 'xx'], []],
    ['X', ['x', 'y'], ['x']],
    ['ip', ['id', 'i', 'on'], ['id']],
    ['hots', ['host', 'hosts', 'post'], ['host', 'hosts']],
    ['base_url', ['baseUrl', 'base-urls', 'url'], ['baseUrl', 'base-urls']],
  ])('%s', (name, known, expected) => {
    expect(nearestNames(name, known)).toEqual(expected)
  })
})
