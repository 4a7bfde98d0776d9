/**
 * No server, proxy or token endpoint ends a run or makes the command report an internal error.
 *
 * All servers of a kind are met by one run, so that each request also shows that those before it did no harm.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { type HostileServer, hostileServers } from '../helpers/hostile-servers.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, listening } from '../wire/peer.ts'

const kinds = ['http', 'http2', 'proxy', 'token', 'websocket'] as const
const rowsOf = (kind: string): readonly HostileServer[] => hostileServers.filter((row) => row.kind === kind)

const start = ({ serve }: Pick<HostileServer, 'serve'>): Promise<number> =>
  listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined)
      serve(socket)
    }),
  )

interface Failure {
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
}
interface Report {
  readonly crash?: Failure
  readonly jobs: readonly {
    readonly requests: readonly { readonly name: string; readonly errors?: readonly Failure[] }[]
  }[]
}

/** The request that meets a server. */
const requestText: Readonly<Record<HostileServer['kind'], (port: number, index: number) => string>> = {
  http: (port) => `GET http://127.0.0.1:${port}/\n\n> {% /1/.test('1'); client.log(typeof response.body) %}`,
  http2: (port) => `GET http://127.0.0.1:${port}/ HTTP/2 (Prior Knowledge)`,
  proxy: () => 'GET https://127.0.0.1:1/',
  token: (_port, index) => `GET http://127.0.0.1:1/\nAuthorization: Bearer {{$auth.token("t${index}")}}`,
  websocket: (port) => `WEBSOCKET ws://127.0.0.1:${port}/\n\n=== wait-for-server\nhello`,
}

function environment(ports: readonly number[]): string {
  const auth = ports.map((port, index) => [
    `t${index}`,
    { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Token URL': `http://127.0.0.1:${port}/`, 'Client ID': 'a' },
  ])
  return JSON.stringify({ dev: { Security: { Auth: Object.fromEntries(auth) } } })
}

async function meet(
  rows: readonly HostileServer[],
): Promise<{ readonly code: number | null; readonly err: string; readonly report: Report }> {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.git'))
  const ports = await Promise.all(rows.map(start))
  const healthy = await start({ serve: answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok') })
  const requests = rows.map(({ kind, name }, index) => {
    return `### ${name}\n# @timeout 1 s\n${requestText[kind](ports[index]!, index)}\n`
  })
  const last = `### healthy\nGET http://127.0.0.1:${healthy}/\n`
  writeFileSync(join(directory, 'a.http'), [...requests, last].join('\n'))
  writeFileSync(join(directory, 'http-client.env.json'), environment(ports))
  const proxy =
    rows[0]!.kind === 'proxy' ? ['--proxy', `http://127.0.0.1:${ports[0]}`, '--noproxy', `127.0.0.1:${healthy}`] : []
  const line = ['run', 'a.http', '-e', 'dev', '-p', 'body', '--quiet', '--report', 'json=r.json', ...proxy]
  const { code, stderr } = await runCommand(line, { cwd: directory })
  const report = JSON.parse(readFileSync(join(directory, 'r.json'), 'utf8')) as Report
  return { code, err: stderr.toString(), report }
}

function outcomes({ jobs }: Report): readonly string[] {
  return jobs.flatMap(({ requests }) =>
    requests.map(({ name, errors = [] }) => `${name}: ${errors.map(({ code }) => code).join(' ') || 'answered'}`),
  )
}

function assertOutcomes(rows: readonly HostileServer[], ran: Awaited<ReturnType<typeof meet>>): void {
  expect(ran.err).not.toContain('internal error')
  expect([ran.code, ran.report.crash]).toEqual([4, undefined])
  const reported = outcomes(ran.report)
  expect(reported.at(-1)).toBe('healthy: answered')
  const wrong = rows.flatMap(({ name, outcome }, index) => {
    const [found = ''] = reported[index]!.slice(name.length + 2).split(' ')
    return outcome.test(found) ? [] : [`${reported[index]}, expected ${outcome}`]
  })
  expect(wrong).toEqual([])
  // One line for each error; a caret below a place is indented.
  const lines = ran.err.split('\n').filter((line) => line !== '' && !/^(?: |hint: |warning: )/.test(line))
  expect(lines.filter((line) => !line.startsWith('httpcli run: '))).toEqual([])
  expect(lines.length).toBe(reported.filter((line) => !line.endsWith(': answered')).length)
}

it('there are more than a hundred hostile servers', () => {
  expect(hostileServers.length).toBeGreaterThan(100)
})

describe.each(kinds.filter((kind) => kind !== 'proxy'))('hostile servers: %s', (kind) => {
  it('end no run', async () => {
    const rows = rowsOf(kind)
    assertOutcomes(rows, await meet(rows))
  })
})

describe('hostile proxies', () => {
  it.each(rowsOf('proxy').map((row) => [row.name, row] as const))('that %s end no run', async (_name, row) => {
    assertOutcomes([row], await meet([row]))
  })
})
