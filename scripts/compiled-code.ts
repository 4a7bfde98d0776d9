/**
 * The code that the engine compiles for the chunks of the command, recorded from real runs for src/cli/launcher.ts.
 *
 * Rules: a run of each of the short commands, because only functions that were called are in it; nothing outside this
 * machine is asked, whatever proxies the environment names.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

const recorder = fileURLToPath(new URL('record-code.cjs', import.meta.url))
const answer = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n'

/** Puts `name.cjs.code` beside the chunks of the command. Rejects when one of the runs fails. */
export async function recordCompiledCode(command: string): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => socket.end(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await record(command, ['send', '-t', `GET http://127.0.0.1:${port}/`, '-p', 'all', '--proxy', ''])
    await record(command, ['help', 'send'])
  } finally {
    server.close()
  }
}

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
