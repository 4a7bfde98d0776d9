/** Assertions, captures, seeds, dry runs and `check`, as a user of the built command meets them. */

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../helpers/certificates.ts'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer

beforeAll(async () => {
  server = await recordingServer({
    '/items': (_request, response) => {
      response.setHeader('Content-Type', 'application/json')
      response.end('{"items":[{"id":7}],"access_token":"t0k"}')
    },
    '/large': (_request, response) => {
      response.setHeader('Content-Type', 'application/octet-stream')
      const piece = Buffer.alloc(1024 * 1024)
      for (let count = 0; count < 20; count++) response.write(piece)
      response.end()
    },
    '/events': (_request, response) => {
      response.setHeader('Content-Type', 'text/event-stream')
      response.write('data: one\n\n')
      response.end('data: two\n\n')
    },
  })
})
afterAll(() => server.close())

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command in a directory with these files, `$O` being the server. */
async function httpcli(words: readonly string[], files: Readonly<Record<string, string>>): Promise<Outcome> {
  const directory = temporaryDirectory()
  for (const [name, content] of Object.entries({ '.git': '', ...files })) {
    writeFileSync(join(directory, name), content.replaceAll('$O', server.origin))
  }
  server.requests.length = 0
  const { code, stdout, stderr } = await runCommand(words, { cwd: directory })
  return { code, out: stdout.toString(), err: stderr.toString() }
}
const lines = (): readonly string[] => server.requests.map(({ line }) => line.replace(' HTTP/1.1', ''))

const examples = `# @assert status == 200
# @assert header content-type contains json
# @assert body $.items[0].id > 5
# @assert duration < 30s
# @capture token = $.access_token
GET $O/items

###
GET $O/use/{{token}}
`

describe('httpcli run with assertions', () => {
  it('passes those that hold, and keeps captured values', async () => {
    const { code, err: out } = await httpcli(['run', 'a.http', '-p', 'status'], { 'a.http': examples })
    expect(code).toBe(0)
    expect(out).toContain(
      'passed  status == 200\npassed  header content-type contains json\npassed  body $.items[0].id > 5\npassed  duration < 30s\n',
    )
    expect(lines()).toEqual(['GET /items', 'GET /use/t0k'])
  })

  it.each([
    ['a failed one', '# @assert status == 201\nGET $O/items', 5],
    ['a capture that finds nothing', '# @capture a = $.nope\nGET $O/items', 5],
    ['one that holds and one that does not', '# @assert status == 200\n# @assert status != 200\nGET $O/items', 5],
    ['a malformed one', '# @assert status is 200\nGET $O/items', 2],
    ['a wrong path', '# @assert $.[ exists\nGET $O/items', 2],
    ['a failed one and a server that is away', '# @assert status == 1\nGET $O/items\n###\nGET http://127.0.0.1:1/', 4],
  ])('exits for %s with its exit code', async (_what, text, code) => {
    const outcome = await httpcli(['run', 'a.http', '-p', 'status'], { 'a.http': text })
    expect(outcome.code).toBe(code)
    if (code === 2) expect(server.requests).toEqual([])
  })

  it('shows place, line, expected and actual value of a failed one', async () => {
    const { err: out } = await httpcli(['run', 'a.http', '-p', 'status'], {
      'a.http': '# @assert status == 201\nGET $O/items',
    })
    expect(out).toContain(`FAILED  status == 201
        expected: 201
        actual:   200
        at a.http:1:11
          # @assert status == 201
                    ^^^^^^^^^^^^^
`)
  })

  it('checks the size of a body that is too large to be searched', async () => {
    const checks = ['size == 20MiB', 'status == 200', 'body exists', 'body not exists', '$.error count == 0']
    const text = `${checks.map((check) => `# @assert ${check}\n`).join('')}GET $O/large`
    const { code, err: out } = await httpcli(['run', 'a.http', '-p', 'status'], { 'a.http': text })
    expect(code).toBe(5)
    expect(out).toContain('passed  size == 20MiB\npassed  status == 200\nFAILED  body exists\n')
    expect(out.match(/actual: {3}the body is too large to be checked/g)).toHaveLength(3)
  })

  it('checks a stream when it has ended', async () => {
    const { code, err: out } = await httpcli(['run', 'a.http', '-p', 'status'], {
      'a.http':
        '# @assert body contains two\nGET $O/events\n\n> {% response.body.onEachLine((l) => client.log(l)) %}\n',
    })
    expect([code, out.split('\n').slice(1, 4)]).toEqual([0, ['data: one', 'data: two', 'passed  body contains two']])
  })

  it('checks the certificate of the server', async () => {
    const directory = temporaryDirectory()
    const { key, certificate } = makeCertificate(directory, {
      name: 'server',
      names: ['DNS:localhost', 'IP:127.0.0.1'],
    })
    const { readFileSync } = await import('node:fs')
    const secure = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
      response.setHeader('Connection', 'close')
      response.end('x')
    })
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const { code, err } = await httpcli(['run', 'a.http', '-i', '-p', 'status'], {
      'a.http': `# @assert certificate days >= 0
# @assert certificate subject contains CN=
# @assert certificate names contains localhost
# @assert certificate value startsWith "-----BEGIN CERTIFICATE"
# @assert certificate Expire-Date > 2026-01-01
# @assert certificate serial matches /^[0-9A-F]+$/
GET https://127.0.0.1:${(secure.address() as AddressInfo).port}/
`,
    })
    secure.close()
    expect(code).toBe(0)
    expect(err).toMatch(/^warning: certificates of servers are not checked \(-i\)\n/)
    expect(err.match(/^passed {2}/gm)).toHaveLength(6)
  })
})

describe('httpcli run --seed --now', () => {
  const text = `< {% request.variables.set("r", Math.random() + crypto.randomUUID()) %}
POST $O/{{row}}?{{$uuid}}&{{$random.name.lastName}}&{{r}}

{{$timestamp}} {{$random.locale.address.city("fr")}} {{$isoTimestamp}}
`
  const rows = `row\n${Array.from({ length: 12 }, (_each, index) => `r${index}`).join('\n')}\n`
  const reproduced = async (...words: string[]): Promise<readonly string[]> => {
    const { code } = await httpcli(
      ['run', 'a.http', '-p', 'status', '--data', 'rows.csv', '--now', '1700000000', ...words],
      { 'a.http': text, 'rows.csv': rows },
    )
    expect(code).toBe(0)
    return server.requests.map(({ line, body }) => `${line} ${body}`).sort()
  }

  it('sends the same bytes twice, even with parallel jobs', async () => {
    const first = await reproduced('--seed', '7')
    expect(await reproduced('--seed', '7', '--parallel', '4')).toEqual(first)
    expect(new Set(first.map((each) => each.split('?')[1])).size).toBe(12)
    expect(first.every((each) => each.includes(' 1700000000 ') || each.includes('1700000000 '))).toBe(true)
    expect(await reproduced('--seed', '8')).not.toEqual(first)
  })

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T10:30', '2026-11-21T10:30:00.000Z'],
    ['2026-11-21T10:30:15.5+02:00', '2026-11-21T08:30:15.500Z'],
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
  ])('accepts %s for %s', async (given, time) => {
    await httpcli(['run', 'a.http', '-p', 'status', '--now', given], { 'a.http': 'GET $O/{{$isoTimestamp}}' })
    expect(lines()).toEqual([`GET /${time}`])
  })
})

describe('without sending', () => {
  it.each([
    ['check', ['check', 'a.http']],
    ['a dry run', ['run', 'a.http', '--dry-run']],
  ])('%s: no request reaches the server', async (_what, words) => {
    const { code } = await httpcli(words, { 'a.http': examples })
    expect([code, server.requests]).toEqual([0, []])
  })

  it('check exits like run', async () => {
    const files = {
      'right.http': examples,
      'unknown.http': 'GET $O/{{nope}}',
      'script.http': 'GET $O/items\n\n> {% if ( %}',
      'both.http': 'GET $O/items\n\n> {% if ( %}\n###\nGET $O/{{nope}}',
      'assertion.http': '# @assert status == {{nope}}\nGET $O/items',
      'malformed.http': '# @assert what\nGET $O/',
    }
    for (const name of Object.keys(files)) {
      const checked = await httpcli(['check', name], files)
      const ran = await httpcli(['run', name], files)
      expect([name, checked.code]).toEqual([name, ran.code])
    }
  })

  it('check reports mistakes in imported files and in data', async () => {
    const files = {
      'a.http': 'import b.http\nrun #inner\n###\nGET $O/{{column}}',
      'b.http': '### inner\nGET $O/{{nope}}\n',
      'rows.csv': 'column\n1\n2\n',
    }
    const { code, err } = await httpcli(['check', 'a.http', '--data', 'rows.csv'], files)
    expect(code).toBe(4)
    expect(err.match(/is not defined/g)).toHaveLength(1)
    expect(err).toContain('b.http:2:')
  })
})
