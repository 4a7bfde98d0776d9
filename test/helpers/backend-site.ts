/** The built command with a small site in front of backends, and a backend of Node.js that shows what it received. */
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { listening } from '../wire/peer.ts'
import { type CommandOptions, type RunningCommand, startCommand } from './command.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** One request as a backend received it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  /** Names as they were sent, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

export interface Backend {
  readonly origin: string
  readonly port: number
  readonly seen: SeenRequest[]
  /** The number of connections opened so far. */
  connections(): number
}

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A backend that records complete requests, and answers each with the handler. Default: the request as JSON. */
export async function startBackend(
  handler: Handler = (_request, response) => response.end('from the backend\n'),
  server: Server = createServer(),
): Promise<Backend> {
  const seen: SeenRequest[] = []
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => undefined)
    request.on('end', () => {
      const { method = '', url = '', rawHeaders } = request
      const body = Buffer.concat(pieces).toString('latin1')
      const fields = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1]!] as const] : [],
      )
      seen.push({ method, url, fields, body })
      handler(request, response, body)
    })
  })
  const port = await listening(server)
  return { port, origin: `http://127.0.0.1:${port}`, seen, connections: () => connections }
}

/** The value of a field that a backend received; values of repeated fields are joined. */
export function fieldOf({ fields }: SeenRequest, name: string): string | undefined {
  const values = fields.filter(([own]) => own.toLowerCase() === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

export interface Site {
  readonly running: RunningCommand
  readonly origin: string
  readonly port: number
  readonly root: string
}

const startLine = /^Serving directory \S+ on (https?:\/\/127\.0\.0\.1:(\d+))$/

/** Serves a directory with `index.html` ("a page") with the given options. */
export async function startSite(words: readonly string[], options: CommandOptions = {}): Promise<Site> {
  const root = temporaryDirectory()
  writeFileSync(join(root, 'index.html'), 'a page')
  const running = await startCommand(['serve', root, '-p', '0', ...words], startLine, options)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { running, origin: running.match[1]!, port: Number(running.match[2]), root }
}
