/**
 * Responses that are deep or without end: the built command answers with a failed test or an error, and never with a
 * defect.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type Answer, type RecordingServer, recordingServer } from '../runner/running.ts'

const DEPTH = 50_000
const body =
  (type: string, text: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': type }).end(text)
  }
const deep = (open: string, close: string): string => open.repeat(DEPTH) + close.repeat(DEPTH)

const answers: Readonly<Record<string, Answer>> = {
  '/array': body('application/json', deep('[', ']')),
  '/object': body('application/json', `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`),
  '/open': body('application/json', '[{"a":'.repeat(DEPTH)),
  '/xml': body('application/xml', deep('<a>', '</a>')),
  '/html': body('text/html', deep('<div>', '</div>')),
  '/entities': body(
    'application/xml',
    `<!DOCTYPE a [<!ENTITY e0 "ha">${Array.from({ length: 12 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(9)}">`).join('')}]><a>&e12;</a>`,
  ),
  '/stream': body('text/event-stream', `data: ${'x'.repeat(3 * 1024 * 1024)}`),
  '/cookies': (_request, response) => {
    response.writeHead(200, { 'Set-Cookie': Array.from({ length: 100 }, (_, i) => `c${i}=v; Path=/\t${i}`) }).end('{}')
  },
  '/loop': (request, response) => {
    const count = Number(new URL(request.url ?? '', 'http://h').searchParams.get('n') ?? 0)
    response.writeHead(302, { Location: `/loop?n=${count + 1}` }).end()
  },
}

let server: RecordingServer
beforeAll(async () => {
  server = await recordingServer(answers)
})
afterAll(() => server.close())

describe('run', () => {
  it.each<[title: string, path: string, rest: string, code: number, message: RegExp]>([
    ['JSON of deep arrays, by jsonpath', 'array', '# @assert jsonpath "$..x" == 1', 5, /nested more than 1000 levels/],
    ['JSON of deep objects, by jsonpath', 'object', '# @assert jsonpath "$.a" == 1', 5, /nested more than 1000 levels/],
    [
      'JSON that is never closed, by jsonpath',
      'open',
      '# @assert jsonpath "$.a" == 1',
      5,
      /nested more than 1000 levels/,
    ],
    ['deep JSON, captured', 'array', '# @capture x = jsonpath "$"', 5, /nested more than 1000 levels/],
    ['deep XML, by xpath', 'xml', '# @assert xpath "count(//b)" == 1', 5, /./],
    ['deep HTML, by xpath', 'html', '# @assert xpath "count(//b)" == 1', 5, /./],
    ['entities that multiply, by xpath', 'entities', '# @assert xpath "string(//a)" == "x"', 5, /./],
    ['deep JSON, by a script', 'array', '> {% client.assert(JSON.stringify(response.body).length === 1) %}', 5, /./],
    [
      'deep JSON, by a plain test',
      'object',
      '> {% client.test("a", () => client.assert(response.body.a === 1)) %}',
      5,
      /./,
    ],
    ['deep JSON, logged', 'object', '> {% client.log(response.body); client.assert(false) %}', 5, /./],
    [
      'a line without end, by a script',
      'stream',
      '> {% response.body.onEachLine((line) => client.log(line)) %}',
      4,
      /more than 1024 KiB/,
    ],
    ['more than ten redirects', 'loop', '', 4, /more than 10 redirects/],
    ['cookies that would break a jar', 'cookies', '', 0, /set the cookie "c0": it has a tab; it was ignored/],
  ])('%s', async (_, path, rest, code, message) => {
    const cwd = temporaryDirectory()
    const isTag = rest.startsWith('#')
    const request = `${isTag ? `${rest}\n` : ''}GET ${server.origin}/${path}\n${isTag ? '' : `\n${rest}\n`}`
    writeFileSync(join(cwd, '.git'), '')
    writeFileSync(join(cwd, 'a.http'), request)
    const result = await runCommand(['run', 'a.http', '-c', 'jar'], { cwd })
    const printed = `${result.stdout}${result.stderr}`
    expect(printed.slice(0, 2000)).not.toMatch(/internal error|\n\s+at .*(?:\.[cm]?js|node:|wasm)/)
    expect([result.code, result.stderr.toString().slice(0, 500)]).toEqual([code, expect.anything()])
    expect(printed).toMatch(message)
    const again = await runCommand(['check', 'a.http', '-c', 'jar'], { cwd })
    expect([again.code, again.stderr.toString()]).toEqual([0, ''])
  })
})

describe('send', () => {
  it.each(['array', 'object', 'open', 'xml', 'stream'])('prints /%s', async (path) => {
    const { code, stdout, stderr } = await runCommand(['send', '-t', `GET ${server.origin}/${path}`])
    expect([code, stderr.toString()]).toEqual([0, ''])
    expect(stdout.length).toBeGreaterThan(DEPTH)
  })
})
