/** Words that look like a method or a URL, and words that do not. */
import { describe, expect, it } from 'vitest'
import { isMethodWord, isRequestLine, isUrlWord } from '../../../src/cli/frame/request-words.ts'

describe('a word is a URL', () => {
  it.each([
    'http://a.example',
    'HTTPS://a/',
    'localhost',
    'LOCALHOST/x',
    'localhost:3000',
    ':3000',
    ':3000/users?x=1',
    ':/users',
    'example.org',
    'example.org/data.json',
    'example.org:8080/login.http',
    '127.0.0.1',
    '[::1]:3000/x',
    'intranet/status',
    'intranet:80',
    'joe:secret@example.org/x',
    'bücher.example/x',
    'example.org?x=1',
  ])('%s', (word) => {
    expect(isUrlWord(word)).toBe(true)
  })
})

describe('a word is not a URL', () => {
  it.each([
    '',
    ':',
    '-',
    'send',
    'sned',
    'login.http',
    'request.txt',
    'requests/login.http',
    './example.org',
    '../a.example',
    '/a.example/x',
    '~/a.example',
    'C:\\requests\\a.http',
    'name=value',
    'a.b=c',
    'name:value',
    'two words.example',
    'photo@a.png=',
  ])('%s', (word) => {
    expect(isUrlWord(word)).toBe(false)
  })
})

it.each([
  ['GET', true],
  ['M-SEARCH', true],
  ['get', false],
  ['Get', false],
  ['GET /', false],
])('%s is a method: %s', (word, expected) => {
  expect(isMethodWord(word)).toBe(expected)
})

describe('a command line without a sub-command', () => {
  const isFile = (name: string): boolean => name === 'example.org'

  it.each([
    [['localhost:3000'], true],
    [['PUT', ':3000'], true],
    [['GET', 'nothing'], true],
    [['GET'], false],
    [[], false],
    [['sned', 'login.http'], false],
    [['example.org'], false],
  ])('%j is a request: %s', (words, expected) => {
    expect(isRequestLine(words, isFile)).toBe(expected)
  })
})
