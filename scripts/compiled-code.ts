/**
 * The code that the engine compiles for the chunks of the command, recorded from real runs for src/cli/programs/launcher.ts.
 *
 * Rules: a run of each of the short commands, because only functions that were called are in it; nothing outside this
 * machine is asked, whatever proxies the environment names.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpResponse, StringBody } from '../src/message/index.ts'
import { serveRequests } from '../src/message-node/index.ts'

const recorder = fileURLToPath(new URL('record-code.cjs', import.meta.url))
const answer = new HttpResponse({ status: 200, body: new StringBody('{"id":7}', 'application/json') })

/** Puts `name.cjs.code` beside the chunks of the command. Rejects when one of the runs fails. */
export async function recordCompiledCode(command: string): Promise<void> {
  const server = createServer(
    { allowHalfOpen: true },
    serveRequests(() => answer),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-build-'))
  try {
    const { port } = server.address() as AddressInfo
    await record(command, ['send', '-t', `GET http://127.0.0.1:${port}/`, '-p', 'all', '--proxy', ''])
    await record(command, ['help', 'send'])
    const url = `http://127.0.0.1:${port}/`
    // Scripts set switches of the engine: what assertions load is good for a run without any, too.
    for (const requests of [requestsWithScripts(url), requestsWithAssertions(url)]) {
      const file = join(directory, 'requests.http')
      writeFileSync(file, requests)
      await record(command, ['run', file, '--proxy', ''])
    }
  } finally {
    server.close()
    rmSync(directory, { recursive: true })
  }
}

/** What most request files have: variables, a body, tests; several requests, so that a connection is used again. */
function requestsWithScripts(url: string): string {
  const plain = `### plain\nGET ${url}{{id}}\n`
  const withTest = `${plain}${scriptWithTest}`
  const withBody = `### with a body\nPOST ${url}\nContent-Type: application/json\n\n{"id": {{id}}}\n${scriptWithTest}`
  return ['@id = 7\n', plain, withTest, withBody, withTest, plain, `${plain}${scriptForEngine}`].join('\n')
}

function requestsWithAssertions(url: string): string {
  return `# @assert status == 200\n# @assert $.id exists\n# @capture id = $.id\nGET ${url}\n`
}

/** One that the engine has to run. */
const scriptForEngine = `
> {%
  client.test('each', () => [response.status].forEach((status) => client.assert(status === 200, 'status')))
%}
`

const scriptWithTest = `
> {%
  client.test('ok', () => client.assert(response.status === 200, 'status'))
%}
`

async function record(command: string, words: readonly string[]): Promise<void> {
  const environment = { ...process.env }
  for (const name of ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']) delete environment[name]
  const child = spawn(process.execPath, ['--require', recorder, command, ...words], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`"httpcli ${words[0]}" ended with ${code} while its code was recorded`)
}
