/** Items of the command line: how they are read, and the errors of invalid ones. */
import { describe, expect, it } from 'vitest'
import { parseItem } from '../../../src/cli/send/building/item.ts'

describe('an item', () => {
  it.each([
    ['name=Joe', 'text', 'name', 'Joe'],
    ['name=', 'text', 'name', ''],
    ['age:=41', 'json', 'age', '41'],
    ['active==true', 'query', 'active', 'true'],
    ['X-Id:7', 'header', 'X-Id', '7'],
    ['X-Time:12:30=x', 'header', 'X-Time', '12:30=x'],
    ['X-Empty;', 'header', 'X-Empty', ''],
    ['content-type:', 'no-type', 'content-type', ''],
    ['photo@a.png', 'file', 'photo', 'a.png'],
    ['@a.png', 'body-file', '', 'a.png'],
    ['text=@a.txt', 'text-file', 'text', 'a.txt'],
    ['list:=@a.json', 'json-file', 'list', 'a.json'],
    ['mail=joe@example.org', 'text', 'mail', 'joe@example.org'],
    ['a\\:b=c', 'text', 'a:b', 'c'],
    ['a\\=b==c', 'query', 'a=b', 'c'],
    ['joe\\@x=1', 'text', 'joe@x', '1'],
    ['a\\b=c', 'text', 'a\\b', 'c'],
  ])('%s is %s', (word, kind, name, value) => {
    expect(parseItem(word)).toEqual({ kind, name, value, word })
  })

  it.each([
    ['foo', /"foo" is not part of a request/],
    ['{"a":1}', /^\{"a":1\} is JSON, not an item/],
    ['[]', /is JSON/],
    ['=x', /no name before its separator/],
    ['@', /no name before its separator/],
    ['photo@', /has no file name after the @/],
    ['X-Id:', /header without a value/],
    ['http://b.example', /second URL/],
  ])('%s is an error', (word, message) => {
    expect(() => parseItem(word)).toThrow(message)
  })
})
