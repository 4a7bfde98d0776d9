/** Hover, place by place. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hoverAt } from '../../src/language-server/hover/hover.ts'
import { inlineCode } from '../../src/language-server/hover/hover-text.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { placeCursor, type Scene } from './at-cursor.ts'

interface Hovered {
  readonly word: string
  readonly text: string
}

function hovered(marked: string, scene?: Scene): Hovered | undefined {
  const { cursor, workspace } = placeCursor(marked, scene)
  const found = hoverAt(cursor, workspace)
  if (found === undefined) return undefined
  const { text, lines } = cursor.analysis
  return { word: text.slice(lines.offsetAt(found.range.start), lines.offsetAt(found.range.end)), text: found.text }
}

let files: ReturnType<typeof directoryWith>

beforeAll(() => {
  files = directoryWith({
    'http-client.env.json':
      '{\n  "dev": {\n    "origin": "http://dev.test",\n    "user": {"name": "Ada"} },\n  "prod": { "origin": "http://prod.test" }\n}',
    'http-client.private.env.json': '{"dev": {"apiId": "hidden-value"}, "prod": {"apiId": "other-hidden"}}',
  })
  mkdirSync(join(files.path, '.git'))
})

afterAll(() => files.remove())

describe('hover over words', () => {
  it.each<[string, string, string]>([
    ['PO¦ST http://h/', 'POST', 'RFC 9110 section 9.3.3'],
    ['GET http://h/ HTT¦P/2', 'HTTP/2', 'RFC 9113'],
    ['GET http://h/\ncontent-¦type: text/plain', 'content-type', 'RFC 9110 section 8.3'],
    ['GET http://h/\nAccept: text/¦html, a/b', 'text/html', 'HTML'],
    ['GET http://h/\nAuthorization: Bea¦rer x', 'Bearer', 'RFC 6750'],
    ['GET http://h/\nCache-Control: max-¦age=5', 'max-age', 'age in seconds'],
    ['POST http://h/\n\n--B\nContent-Dispo¦sition: form-data', 'Content-Disposition', 'RFC 7578'],
    ['# @ret¦ry 3\nGET http://h/', '@retry', 'again'],
    ['# @assert sta¦tus == 404\nGET http://h/', 'status', 'status code'],
    ['# @assert status == 4¦04\nGET http://h/', '404', 'Not Found'],
    ['# @assert status =¦= 404\nGET http://h/', '==', 'equal'],
    ['# @assert header loc¦ation exists\nGET http://h/', 'location', 'redirect'],
    ['# @assert header location exi¦sts\nGET http://h/', 'exists', 'has a value'],
    ['# @assert $.a cou¦nt == 2\nGET http://h/', 'count', 'number of elements'],
    ['# @assert header content-type == application/js¦on\nGET http://h/', 'application/json', 'RFC 8259'],
    ['# @capture a = bo¦dy\nGET http://h/', 'body', 'text of the body'],
    ['GET http://h/\n\n> {% client.assert(response.status === 50¦3) %}', '503', 'Service Unavailable'],
    ['GET http://h/\n\n> {% client.gl¦obal.set("a", 1) %}', 'global', '`client.global`'],
    [
      'GET http://h/\n\n> {%\n  client.test("a", () => {\n    client.asse¦rt(true)\n  })\n%}',
      'assert',
      'client.assert(condition, message)',
    ],
    ['< {% $random.int¦eger(1, 2) %}\nGET http://h/', '$random.integer', '$random.integer(from, to)'],
    ['GET http://h/{{$uu¦id}}', '{{$uuid}}', 'RFC 9562'],
    ['GET http://h/{{$random.name.first¦Name}}', '{{$random.name.firstName}}', 'first name'],
    ['GET http://h/{{$datetime iso86¦01}}', '{{$datetime iso8601}}', 'rfc1123'],
  ])('%j is about %s', (marked, word, text) => {
    const found = hovered(marked)
    expect(found?.word).toBe(word)
    expect(found?.text).toContain(text)
  })

  it.each([
    'GET http://h/¦path',
    '### GET¦ x',
    '# just a com¦ment',
    'GET http://h/\nX-Unknown¦: y',
    'GET http://h/\n\nHost¦ is a word',
    '# @assert body == "sta¦tus"\nGET http://h/',
    'GET http://h/{{unknown¦}}',
    'GET http://h/\n\n> {% const client¦s = 1 %}',
    '¦',
  ])('%j has none', (marked) => {
    expect(hovered(marked)).toBeUndefined()
  })
})

describe('hover over variables', () => {
  const scene = (environment?: string): Scene => ({
    directory: files.path,
    ...(environment === undefined ? {} : { environment }),
  })

  it('shows the values of the environment chosen by a command', () => {
    const { text } = hovered('GET {{ori¦gin}}/a', { ...scene('dev'), chosen: 'prod' })!
    expect(text).toMatch(/^\*\*origin\*\* = `http:\/\/prod\.test`, prod/)
  })

  it('shows the value of a call only for the request that it calls', () => {
    const calls = 'run #login (@who = jo)\n\n### login\nGET http://h/{{WHO}}\n\n### other\nGET http://h/{{OTHER}}\n'
    const called = hovered(calls.replace('WHO', 'w¦ho').replace('OTHER', 'who'))
    expect(called?.text).toContain('**who** = `jo`, given by run')
    expect(hovered(calls.replace('WHO', 'who').replace('OTHER', 'w¦ho'))).toBeUndefined()
  })

  it('shows the effective value, the values that it hides, and the other environments', () => {
    const { text } = hovered('@origin = here\nGET {{ori¦gin}}/a', scene('dev'))!
    expect(text.split('\n')[0]).toMatch(
      /^\*\*origin\*\* = `http:\/\/dev\.test`, dev, \[http-client\.env\.json:3\]\(file:.*#L3\)$/,
    )
    expect(text).toMatch(/- hidden: `here`, this file, \[test\.http:1\]/)
    expect(text).toMatch(/- `http:\/\/prod\.test`, prod, \[http-client\.env\.json:5\]/)
  })

  it('shows no secret', () => {
    const found = hovered('@copy = hidden-value\nGET http://h/{{api¦Id}}{{copy}}', scene('dev'))
    expect(found?.text).toContain('`***`, dev')
    expect(found?.text).not.toContain('hidden')
    expect(hovered('@copy = hidden-value\nGET http://h/{{co¦py}}', scene('dev'))?.text).not.toContain('hidden-value')
    const url = hovered('@base = http://ada:pass-word@h/\nGET {{ba¦se}}')?.text
    expect(url).toContain('`http://***@h/`')
    expect(hovered('@session_token = abcdef\nGET http://h/{{session¦_token}}')?.text).not.toContain('abcdef')
  })

  it('explains paths, captures, references, and variables of the process', () => {
    expect(hovered('GET http://h/{{user.na¦me}}', scene('dev'))?.text).toContain('**user**')
    const text = '# @name login\n# @capture id = $.id\nGET http://h/\n\n###\nGET http://h/'
    expect(hovered(`${text}{{i¦d}}`)?.text).toContain('`$.id`, captured, [test.http:2]')
    expect(hovered(`${text}{{login.response.bo¦dy.$.a}}`)?.text).toContain('response to **login**, [test.http:3]')
    expect(hovered('GET http://h/{{$env.HO¦ME}}', { processEnvironment: { HOME: '/root' } })?.text).not.toContain(
      '/root',
    )
  })
})

describe('a value as code', () => {
  it.each([
    ['a', '`a`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    ['a\nb', '`a b`'],
  ])('%j is %s', (value, code) => {
    expect(inlineCode(value)).toBe(code)
  })
})
