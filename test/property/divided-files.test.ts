/**
 * A file that may be divided sends the same requests and has the same results when each of its requests is sent alone:
 * what one request leaves behind reaches no other one.
 *
 * Rules: files are made of all that a request can have, mostly of what connects requests. The server sets a cookie with
 * each response. Files that findBond keeps whole are only counted: the test is about those that it lets through.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBond } from '../../src/runner/dry-run/request-bonds.ts'
import { loadEnvironment, loadHttpFile, type RunEvent, runHttpFile } from '../../src/runner/index.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'
import { Random } from './random.ts'

let server: RecordingServer

beforeAll(async () => {
  let count = 0
  const answer = (body: string) => (_request: unknown, response: ServerResponse) =>
    response.setHeader('Set-Cookie', `c=${++count}`).setHeader('Content-Type', 'application/json').end(body)
  server = await recordingServer({
    '/a': answer('{"id": 7}'),
    '/b': answer('[1, 2]'),
    '/moved': (_request, response) => response.writeHead(302, { Location: '/a', 'Set-Cookie': 'm=1' }).end(),
  })
})
afterAll(() => server.close())

/** Lines before a request, and after it, that may leave something behind. */
const before = [
  '# @capture x = $.id',
  '# @assert status == 200',
  '# @capture x = $.id',
  '@x = {{$uuid}}',
  '@x = again',
  '@x = ["1", "2"]',
  '# @no-redirect',
  "< {% client.global.set('x', 'by script') %}",
  "< {% request.variables.set('x', 'own') %}",
]
const after = [
  "> {% client.test('t', () => client.assert(response.status === 200)) %}",
  '> {% client.log(response.body.id) %}',
  '> {% client.log(client.global.get("x")) %}',
  "> {% client.global.set('x', response.body.id) %}",
  "> {% client.global['set']('x', 1) %}",
  '> {% const g = client.global; g.set("x", 2) %}',
  '> {% client.global.headers.set("Y", "1") %}',
  '>>! body.txt',
]
/** What may find it. */
const fields = ['X: {{x}}', 'X: {{x}}', 'X: {{$env.VALUE}}', 'X: {{one.response.body.$.id}}', 'Cookie: own=1']
const bodies = ['{{x}}', '< body.txt', '<@ body.txt']

const names = ['one', 'two', 'three']

function fileText(random: Random): string {
  const some = (lines: readonly string[], times: number): string => (random.once(times) ? random.pick(lines) : '')
  const requests = names.slice(0, random.between(2, 3)).map((name, index) => {
    const isFirst = index === 0
    const lines = [
      `### ${name}`,
      some(before, isFirst ? 2 : 12),
      ...(random.once(5) ? [] : ['# @no-cookie-jar']),
      `POST ${server.origin}${random.once(4) ? '/moved' : random.pick(['/a', '/b'])}?${name}`,
      ...[some(fields, 2)].filter((line) => line !== ''),
      '',
      some(bodies, 3),
      '',
      some(after, isFirst ? 2 : 12),
      '',
    ]
    return lines.join('\n')
  })
  return `@x = first\n${requests.join('\n')}`
}

/** What the listener of a run sees, without what names the connection and the time. */
function resultOf(event: RunEvent): string[] {
  switch (event.type) {
    case 'test-passed':
    case 'test-failed':
      return [`${event.request.line} ${event.type} ${event.name}`]
    case 'script-log':
      return [`${event.request.line} log ${event.text}`]
    case 'error':
      return [`${event.request?.line} error ${(event.error as Error).message}`]
    case 'request-finished':
      return [`${event.request.line} ${event.request.iteration} ${event.outcome}`]
    default:
      return []
  }
}

it('a divided file sends the same requests, whatever is in it', async () => {
  let dividedFiles = 0
  for (let seed = 1; seed <= 250; seed++) {
    const text = fileText(new Random(seed))
    const directory = directoryWith({ '.git': '', 'test.http': text, 'body.txt': 'from the file' })
    try {
      const loaded = loadHttpFile('test.http', directory.path)
      if (findBond(loaded, []) !== undefined) continue
      dividedFiles++
      /** Runs the file, or only one of its sections. */
      const run = async (part?: (typeof loaded.file.sections)[number]) => {
        // Each part runs on another machine, which has its own copy of the files.
        const place = join(directory.path, part === undefined ? 'whole' : String(part.parts[0]?.span.line))
        mkdirSync(place)
        for (const [name, content] of [
          ['test.http', text],
          ['body.txt', 'from the file'],
          ['.git', ''],
        ] as const) {
          writeFileSync(join(place, name), content)
        }
        const results: string[] = []
        server.requests.length = 0
        const own = loadHttpFile('test.http', place)
        const section = part && own.file.sections[loaded.file.sections.indexOf(part)]
        await runHttpFile(own, {
          environment: loadEnvironment(own.path, undefined),
          processEnvironment: { VALUE: 'v' },
          listener: (event) => {
            results.push(...resultOf(event))
          },
          ...(section === undefined
            ? {}
            : { choice: { names: [], lines: [], tags: [], sections: new Set([section]) } }),
        })
        const sent = server.requests.map(({ line, headers, body }) => [line, ...headers, body].join('\n'))
        return { results: results.map((line) => line.replaceAll(place, '')), sent }
      }
      const whole = await run()
      const parts = []
      for (const section of loaded.file.sections.filter(({ request }) => request !== undefined)) {
        parts.push(await run(section))
      }
      expect(
        parts.flatMap(({ sent }) => sent),
        text,
      ).toEqual(whole.sent)
      expect(
        parts.flatMap(({ results }) => results),
        text,
      ).toEqual(whole.results)
    } finally {
      directory.remove()
    }
  }
  expect(dividedFiles).toBeGreaterThan(20)
}, 60_000)
