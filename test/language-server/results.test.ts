/** Bodies and documents of results. */
import { describe, expect, it } from 'vitest'
import { JsonLayout } from '../../src/cli/send/response/json-layout.ts'
import { bodyText } from '../../src/language-server/results/body-text.ts'
import { fileNameOf, ResultDocuments } from '../../src/language-server/results/result-documents.ts'

const layout = (text: string): string => new JsonLayout(false).write(text)

/** @param sizeBytes of the whole body, that of `content` by default */
function shown(content: string | Uint8Array, contentType: string, sizeBytes?: number | 'unknown'): string {
  const bytes = Buffer.from(content as string)
  return bodyText(
    { bytes, sizeBytes: sizeBytes === 'unknown' ? undefined : (sizeBytes ?? bytes.length), contentType },
    layout,
  )
}

describe('a body', () => {
  it.each([
    ['nothing', '', 'text/plain', ''],
    ['text without a line end', 'a', 'text/plain', 'a\n'],
    [
      'JSON, numbers and order as they are',
      '{"b":1.0,"2":12345678901234567890}',
      'application/problem+json',
      '{\n  "b": 1.0,\n  "2": 12345678901234567890\n}\n',
    ],
    ['what is JSON by its type only', '{"a" : 1} x', 'application/json', '{"a" : 1} x\n'],
    ['JSON of another type', '{"a":1}', 'text/plain', '{"a":1}\n'],
    ['text in a charset', Buffer.from([0xe4]), 'text/plain; charset=windows-1252', 'ä\n'],
  ])('shows %s', (_title, content, type, expected) => {
    expect(shown(content, type)).toBe(expected)
  })

  it('says where it was truncated, and splits no character', () => {
    expect(shown(Buffer.from('xä').subarray(0, 2), 'text/plain', 3000)).toMatch(
      /^x\ufffd?\n\.\.\. cut after 2 B of 3\.0 kB\n$/,
    )
    expect(shown('[1,', 'application/json', 'unknown')).toBe('[\n  1,\n  \n... cut after 3 B\n')
  })

  it.each([
    ['NUL', [0x61, 0]],
    ['bytes that are not UTF-8', [0x61, 0xff]],
  ])('is a hex dump for %s', (_title, bytes) => {
    expect(shown(Buffer.from(bytes), '')).toMatch(/^00000000 {2}61 (?:00|ff) {40,}a\.\nbinary body of 2 bytes\n$/)
  })

  it('is a hex dump of its beginning', () => {
    const text = shown(Buffer.alloc(1000), 'image/png', 5000)
    expect(text.split('\n')).toHaveLength(18)
    expect(text).toMatch(/binary body of 5000 bytes, the first 256 bytes\n$/)
  })
})

describe('documents', () => {
  it('have one URI per request', () => {
    const documents = new ResultDocuments()
    const first = documents.put('a', 'GET http://host/a', 'one')
    expect(first).toEqual({ uri: 'httpcli-response:/1/GET%20host-a.txt', isKnown: false })
    expect(documents.put('a', 'GET http://host/a', 'two')).toEqual({ ...first, isKnown: true })
    expect(documents.text(first.uri)).toBe('two')
    expect(documents.text('httpcli-response:///1/GET host-a.txt')).toBe('two')
    expect(documents.text('httpcli-response:/9/x.txt')).toBeUndefined()
    expect(documents.text('file:///1/x.txt')).toBeUndefined()
  })

  it('are dropped, the oldest first', () => {
    const documents = new ResultDocuments()
    const uris = Array.from({ length: 60 }, (_, index) => documents.put(String(index), 'x', 'text').uri)
    expect(uris.map((uri) => documents.text(uri) !== undefined).lastIndexOf(false)).toBe(9)
    const large = documents.put('large', 'x', 'x'.repeat(20 * 1024 * 1024))
    expect(documents.text(large.uri)).toHaveLength(20 * 1024 * 1024)
    expect(documents.text(uris.at(-1)!)).toBeUndefined()
  })

  it.each([
    ['../../etc/passwd', 'etc-passwd.txt'],
    ['', 'result.txt'],
    ['ä b', 'ä b.txt'],
    ['x'.repeat(500), `${'x'.repeat(60)}.txt`],
  ])('of %j are named safely', (title, name) => {
    expect(fileNameOf(title)).toBe(name)
  })
})
