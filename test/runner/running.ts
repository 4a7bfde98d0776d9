/** For tests of the runner: a server that records what it was asked, and a run of a text with its events. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpcliError } from '../../src/message/index.ts'
import {
  loadEnvironment,
  loadHttpFile,
  type RunEvent,
  type RunOptions,
  type RunSummary,
  runHttpFile,
} from '../../src/runner/index.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

export interface RecordedRequest {
  readonly line: string
  /** `Name: value` as received. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

export interface RecordingServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly host: string
  readonly requests: RecordedRequest[]
  close(): Promise<void>
}

export type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void

const ok: Answer = (_request, response) => {
  response.end('ok')
}

/** Answers by path; `ok` where no answer is given for it. */
export async function recordingServer(answers: Readonly<Record<string, Answer>> = {}): Promise<RecordingServer> {
  const requests: RecordedRequest[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces)
      const headers: string[] = []
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        headers.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
      }
      requests.push({ line: `${request.method} ${request.url} HTTP/${request.httpVersion}`, headers, body })
      const answer = answers[(request.url ?? '').split('?')[0] as string] ?? ok
      answer(request, response, body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface RunResult {
  readonly events: readonly RunEvent[]
  readonly summary: RunSummary
  /** `line:column code message` of every error event. */
  readonly errors: readonly string[]
  /** Test results and logs: `passed name`, `failed name: message`, `log text`, `script message`. */
  readonly results: readonly string[]
}

export interface RunSettings extends Partial<RunOptions> {
  readonly environmentName?: string
  /** Files beside the request file. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Looks at the directory before it goes. */
  readonly inspect?: (directory: string) => void
}

/** Runs a text as `test.http` in a separate directory, scripts in this thread. */
export async function runText(text: string, settings: RunSettings = {}): Promise<RunResult> {
  const { files, environmentName, inspect, ...options } = settings
  const directory = directoryWith({ '.git': '', ...files, 'test.http': text })
  try {
    const loaded = loadHttpFile('test.http', directory.path)
    const events: RunEvent[] = []
    const summary = await runHttpFile(loaded, {
      environment: loadEnvironment(loaded.path, environmentName),
      listener: (event) => {
        events.push(event)
      },
      ...options,
    })
    inspect?.(directory.path)
    return { events, summary, errors: events.flatMap(errorLine), results: events.flatMap(resultLine) }
  } finally {
    directory.remove()
  }
}

function errorLine(event: RunEvent): string[] {
  if (event.type !== 'error') return []
  const { error } = event
  if (!(error instanceof HttpcliError)) return [String(error)]
  return [`${error.where?.line}:${error.where?.column} ${error.code} ${error.message}`]
}

function resultLine(event: RunEvent): string[] {
  if (event.type === 'test-passed') return [`passed ${event.name}`]
  if (event.type === 'test-failed') return [`failed ${event.name}: ${event.error.message}`]
  if (event.type === 'script-log') return [`log ${event.text}`]
  if (event.type === 'script-failed') return [`script ${event.error.message}`]
  return []
}
