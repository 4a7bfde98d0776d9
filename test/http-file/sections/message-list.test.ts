/** Messages of WebSocket requests. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile, printHttpFile, templateText } from '../../../src/http-file/index.ts'

function messagesOf(body: string): readonly (readonly [waits: number, ...parts: string[]])[] {
  const source = `WEBSOCKET ws://h/\nA: b\n\n${body}`
  const { file, errors } = parseHttpFile(source)
  expect(errors).toEqual([])
  expect(printHttpFile(file)).toBe(source)
  const messages = file.sections[0]?.request?.messages ?? []
  return messages.map(({ waitsForServer, body: parts }) => [
    waitsForServer,
    ...parts.map((part) => (part.kind === 'body-text' ? templateText(part.template) : `< ${templateText(part.path)}`)),
  ])
}

describe('the messages of a WebSocket request', () => {
  it.each<[string, string, readonly (readonly [number, ...string[]])[]]>([
    ['one, without separators', 'hello', [[0, 'hello']]],
    ['one after a separator', '===\nhello\n', [[0, 'hello']]],
    [
      'two',
      'a\n===\nb',
      [
        [0, 'a'],
        [0, 'b'],
      ],
    ],
    [
      'one that waits for the server',
      'a\n=== wait-for-server\nb',
      [
        [0, 'a'],
        [1, 'b'],
      ],
    ],
    ['one that waits twice', '=== wait-for-server\n=== wait-for-server\nb', [[2, 'b']]],
    [
      'lines with blank ones inside, none around',
      '===\n\n{\n\n}\n\n===\n\n\nx',
      [
        [0, '{\n\n}'],
        [0, 'x'],
      ],
    ],
    ['a wait at the end', 'a\n=== wait-for-server\n', [[0, 'a'], [1]]],
    [
      'a file, and text with a file',
      '< a.bin\n===\nx\n< b.bin',
      [
        [0, '< a.bin'],
        [0, 'x', '< b.bin'],
      ],
    ],
    ['no comments', '# c\na\n// d\n===\n', [[0, 'a']]],
    ['text that only looks like a separator', '====\n=== x', [[0, '====\n=== x']]],
    ['none', '\n', []],
    [
      'a handler after them',
      'a\n===\nb\n\n> {% x %}',
      [
        [0, 'a'],
        [0, 'b'],
      ],
    ],
  ])('are %s', (_, body, expected) => {
    expect(messagesOf(body)).toEqual(expected)
  })

  it('are not read in other requests', () => {
    const { file } = parseHttpFile('POST http://h/\n\na\n===\nb')
    expect(file.sections[0]?.request?.messages).toEqual([])
    expect(file.sections[0]?.request?.body).toHaveLength(1)
  })
})
