/**
 * Requests through `serve --backend` that two servers may read differently: each is refused, or reaches the
 * backend as exactly one request that means the same. RFC 9112 section 11.2, RFC 9113 section 10.3.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type SeenRequest, type Site, startBackend, startSite } from '../helpers/backend-site.ts'
import { openHttp2 } from '../helpers/hostile-http2-clients.ts'
import { endHeaders, endStream, frame, frameTypes, preface, settings } from '../helpers/http2-frames.ts'
import { accepting, isInstalled, startProgram } from '../helpers/peer-program.ts'
import { type Vector, vectors } from '../helpers/smuggling-vectors.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { startPeer } from '../wire/peer.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))

/** Connections at a time. */
const concurrency = 16

/** The answers to a client for a vector: the statuses in order, before the canary's and with it. */
async function statusesFor(site: Site, { text, path }: Vector): Promise<readonly string[]> {
  const socket = connect({ port: site.port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  const received: Buffer[] = []
  const isAnswered = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes)
      if (/\r\n\r\n/.test(Buffer.concat(received).toString('latin1'))) resolve()
    })
    socket.on('close', () => resolve())
    socket.on('end', () => resolve())
  })
  socket.write(text, 'latin1')
  await isAnswered
  // One more request on the same connection: it must be answered by itself, or not at all.
  socket.write(`GET /api/canary${path.slice('/api'.length)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  socket.resume()
  if (!socket.readableEnded && !socket.destroyed) await Promise.race([once(socket, 'end'), once(socket, 'close')])
  socket.destroy()
  return [
    ...Buffer.concat(received)
      .toString('latin1')
      .matchAll(/HTTP\/1\.1 (\d{3}) /g),
  ].map(([, status]) => status!)
}

/** Sends all of them; gives the statuses of each. */
async function sendAll(site: Site): Promise<ReadonlyMap<Vector, readonly string[]>> {
  const results = new Map<Vector, readonly string[]>()
  const waiting = vectors.values()
  const work = async () => {
    for (const vector of waiting) results.set(vector, await statusesFor(site, vector))
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

/** The fault in the outcome of a vector, given the complete requests that the backend saw of it. */
function faultOf(vector: Vector, statuses: readonly string[], seen: readonly SeenRequest[]): string | undefined {
  const isRefused = seen.length === 0 && /^[45]/.test(statuses[0] ?? '') && statuses[0] !== '502'
  if (isRefused) return vector.verdict === 'forwarded' ? `refused: ${statuses}` : undefined
  if (vector.verdict === 'refused') return `not refused: ${statuses}, ${JSON.stringify(seen)}`
  const [request] = seen
  if (seen.length !== 1 || statuses[0] !== '200') return `${seen.length} requests: ${statuses}, ${JSON.stringify(seen)}`
  if (request!.method !== vector.method) return `another method: ${request!.method}`
  return request!.body === vector.body ? undefined : `another body: ${JSON.stringify(request!.body)}`
}

function faults(results: ReadonlyMap<Vector, readonly string[]>, seen: readonly SeenRequest[]): readonly string[] {
  const smuggled = seen.filter(({ url }) => url.includes('smuggled')).map(({ url }) => `arrived: ${url}`)
  const byPath = grouped(seen)
  const wrong = [...results].flatMap(([vector, statuses]) => {
    const fault = faultOf(vector, statuses, byPath.get(vector.path) ?? [])
    return fault === undefined ? [] : [`${vector.name}: ${fault}`]
  })
  return [...smuggled, ...wrong]
}

function grouped(seen: readonly SeenRequest[]): Map<string, SeenRequest[]> {
  const groups = new Map<string, SeenRequest[]>()
  for (const request of seen) groups.set(pathIn(request.url), [...(groups.get(pathIn(request.url)) ?? []), request])
  return groups
}

/** `/api/v17`, with any rest. */
function pathIn(url: string): string {
  return /^\/api\/v\d+/.exec(url)?.[0] ?? url
}

/** Answers everything that is strictly well-formed, and records it; what is not is a fault. */
async function startRecorder(): Promise<{ origin: string; seen: SeenRequest[]; faults: string[] }> {
  const seen: SeenRequest[] = []
  const found: string[] = []
  const peer = await startPeer((socket) => {
    let waiting = ''
    socket.on('data', (bytes: Buffer) => {
      waiting += bytes.toString('latin1')
      for (;;) {
        const read = readRequest(waiting)
        if (read === undefined) return
        if (typeof read === 'string') {
          found.push(`${read}: ${JSON.stringify(waiting)}`)
          socket.destroy()
          return
        }
        seen.push(read.request)
        waiting = read.rest
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      }
    })
    socket.on('end', () => socket.end())
  })
  return { origin: peer.origin, seen, faults: found }
}

/** The first request of a text; undefined if it is not complete; what is wrong with it. */
function readRequest(text: string): { request: SeenRequest; rest: string } | string | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [line, ...lines] = text.slice(0, end).split('\r\n')
  const [, method, url] = /^([!-~]+) (\/[!-~]*) HTTP\/1\.1$/.exec(line!) ?? []
  if (method === undefined || url === undefined) return 'a request line'
  const fields = lines.map((field) => /^([!#$%&'*+.^_`|~\w-]+): ([^\0-\x08\n-\x1f\x7f]*)$/.exec(field))
  if (fields.includes(null)) return 'a field line'
  const values = (name: string) =>
    fields.filter((field) => field![1]!.toLowerCase() === name).map((field) => field![2]!)
  const [length, ...otherLengths] = values('content-length')
  const [coding, ...otherCodings] = values('transfer-encoding')
  if (values('host').length !== 1 || otherLengths.length + otherCodings.length > 0) return 'a repeated field'
  if (length !== undefined && (coding !== undefined || !/^\d+$/.test(length))) return 'a length'
  if (coding !== undefined && coding !== 'chunked') return 'a coding'
  const rest = text.slice(end + 4)
  const content = coding === undefined ? readLength(rest, Number(length ?? 0)) : readChunks(rest)
  if (content === undefined || typeof content === 'string') return content
  const pairs = fields.map((field) => [field![1]!, field![2]!] as const)
  return { request: { method, url, fields: pairs, body: content.body }, rest: content.rest }
}

interface Content {
  readonly body: string
  readonly rest: string
}

function readLength(text: string, length: number): Content | undefined {
  return text.length < length ? undefined : { body: text.slice(0, length), rest: text.slice(length) }
}

function readChunks(text: string): Content | string | undefined {
  let body = ''
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n')
    if (end === -1) return undefined
    const line = rest.slice(0, end)
    if (!/^[0-9a-f]{1,8}$/.test(line)) return 'a chunk line'
    const size = Number.parseInt(line, 16)
    rest = rest.slice(end + 2)
    if (size === 0) {
      const last = /^(?:[\w-]+: [ -~]*\r\n)*\r\n/.exec(rest)
      return last === null ? undefined : { body, rest: rest.slice(last[0].length) }
    }
    if (rest.length < size + 2) return undefined
    if (rest.slice(size, size + 2) !== '\r\n') return 'the end of a chunk'
    body += rest.slice(0, size)
    rest = rest.slice(size + 2)
  }
}

const patience = ['--header-timeout', '2', '--body-timeout', '2', '--max-connections', '1000']

function start(origin: string): Promise<Site> {
  return startSite(['--backend', `/api=${origin}`, ...patience])
}

function hasH11(): boolean {
  try {
    execFileSync(python, ['-c', 'import h11'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const python = '/usr/bin/python3'

/** Reads with h11, and writes each complete request as a line of JSON. */
const pythonBackend = `
import h11, json, socket, sys, threading
out = open(sys.argv[1], 'a', buffering=1)
server = socket.create_server(('127.0.0.1', 0), backlog=128)
open(sys.argv[2], 'w').write(str(server.getsockname()[1]))
def serve(sock):
    conn = h11.Connection(h11.SERVER)
    head, body = None, b''
    try:
        while True:
            event = conn.next_event()
            if event is h11.NEED_DATA:
                conn.receive_data(sock.recv(65536))
            elif isinstance(event, h11.Request):
                head, body = event, b''
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                out.write(json.dumps({'method': head.method.decode(), 'url': head.target.decode(), 'fields': [], 'body': body.decode('latin1')}) + '\\n')
                sock.sendall(conn.send(h11.Response(status_code=200, headers=[('Content-Length', '2')])))
                sock.sendall(conn.send(h11.Data(data=b'ok')) + conn.send(h11.EndOfMessage()))
                if conn.our_state is not h11.DONE: break
                conn.start_next_cycle()
            else: break
    except Exception: pass
    sock.close()
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
`

describe('630 requests that can be read in two ways are refused or mean one request', () => {
  it('to a backend that accepts only well-formed requests', async () => {
    expect(vectors.length).toBeGreaterThanOrEqual(600)
    const recorder = await startRecorder()
    const results = await sendAll(await start(recorder.origin))
    expect(faults(results, recorder.seen)).toEqual([])
    expect(recorder.faults).toEqual([])
    // The requests that followed on the same connection arrived each as one.
    const canaries = recorder.seen.filter(({ url }) => url.startsWith('/api/canary'))
    expect(canaries.every(({ body, method }) => body === '' && method === 'GET')).toBe(true)
    expect(canaries.length).toBeGreaterThan(50)
  })

  it('to Node.js', async () => {
    const backend = await startBackend()
    const results = await sendAll(await start(backend.origin))
    expect(faults(results, backend.seen)).toEqual([])
  })

  it.skipIf(!isInstalled('nginx'))('to nginx and the backend behind it', async () => {
    const backend = await startBackend()
    const directory = temporaryDirectory()
    // Any port could be taken by a connection that another test has just closed.
    const socketPath = join(directory, 'socket')
    for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(directory, name))
    writeFileSync(
      join(directory, 'nginx.conf'),
      `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/error.log;
events { worker_connections 512; }
http {
  access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
  server { listen unix:${socketPath}; location / { proxy_http_version 1.1; proxy_pass ${backend.origin}; } }
}`,
    )
    const words = ['-e', join(directory, 'error.log'), '-p', directory, '-c', join(directory, 'nginx.conf')]
    await accepting(socketPath, startProgram('nginx', words, directory))
    const results = await sendAll(await start(`unix:${socketPath}`))
    expect(faults(results, backend.seen)).toEqual([])
  })

  it.skipIf(!hasH11())('to h11 in Python', async () => {
    const directory = temporaryDirectory()
    const [log, portFile, program] = ['log', 'port', 'backend.py'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(program, pythonBackend)
    writeFileSync(portFile, '')
    startProgram(python, [program, log, portFile], directory)
    while (readFileSync(portFile, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 50))
    const results = await sendAll(await start(`http://127.0.0.1:${readFileSync(portFile, 'utf8')}`))
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    expect(
      faults(
        results,
        lines.map((line): SeenRequest => JSON.parse(line)),
      ),
    ).toEqual([])
  })
})

interface Http2Vector {
  readonly name: string
  /** Names and values as they are encoded, pseudo fields among them; `%P` is the path. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly content?: string
  /** `dropped`: refused, or forwarded without what was encoded last. */
  readonly verdict: 'refused' | 'forwarded' | 'dropped'
}

/** Fields that are not indexed, binary strings of any length below 16 KiB (RFC 7541 sections 5.1 and 6.2.2). */
function encodedFields(fields: Http2Vector['fields'], path: string): Buffer {
  const text = (value: string): Buffer => {
    const octets = Buffer.from(value, 'latin1')
    const rest = octets.length - 127
    const length = rest < 0 ? [octets.length] : rest < 128 ? [127, rest] : [127, (rest & 127) | 128, rest >> 7]
    return Buffer.concat([Buffer.from(length), octets])
  }
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value.replace('%P', path))]))
}

const smuggled = 'GET /api/smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const pseudo = {
  method: [':method', 'POST'],
  path: [':path', '%P'],
  scheme: [':scheme', 'https'],
  host: [':authority', 'a'],
} as const
const proper = Object.values(pseudo)
const injections = [`x\r\n${smuggled}`, `x\n${smuggled}`, 'x\r\nTransfer-Encoding: chunked', 'x\0', 'x\r', '\nx']

/** The proper pseudo fields with one of them replaced. */
function withPseudo(name: keyof typeof pseudo, value: string): Http2Vector['fields'] {
  return Object.entries({ ...pseudo, [name]: [pseudo[name][0], value] }).map(([, field]) => field as [string, string])
}

const http2Vectors: readonly Http2Vector[] = [
  { name: 'a proper one', verdict: 'forwarded', fields: proper, content: smuggled },
  {
    name: 'with its length',
    verdict: 'forwarded',
    fields: [...proper, ['content-length', String(smuggled.length)]],
    content: smuggled,
  },
  { name: 'with trailers allowed', verdict: 'forwarded', fields: [...proper, ['te', 'trailers']], content: smuggled },
  { name: 'with a host that agrees', verdict: 'forwarded', fields: [...proper, ['host', 'a']], content: smuggled },
  ...injections.flatMap((value): Http2Vector[] => [
    {
      name: `value ${JSON.stringify(value)}`,
      verdict: 'dropped',
      fields: [...proper, ['x', value]],
      content: smuggled,
    },
    { name: `name ${JSON.stringify(value)}`, verdict: 'dropped', fields: [...proper, [value, 'x']], content: smuggled },
    {
      name: `cookie ${JSON.stringify(value)}`,
      verdict: 'dropped',
      fields: [...proper, ['cookie', value]],
      content: smuggled,
    },
    ...(['method', 'path', 'host'] as const).map((field): Http2Vector => {
      const replaced = field === 'path' ? `%P${value}` : value
      return {
        name: `${field} ${JSON.stringify(value)}`,
        verdict: 'refused',
        fields: withPseudo(field, replaced),
        content: smuggled,
      }
    }),
  ]),
  ...[
    ...[
      ['method', 'GET %P HTTP/1.1'],
      ['method', ''],
      ['method', 'G T'],
      ['method', 'CONNECT'],
      ['method', 'TRACE'],
      ['path', '%P HTTP/1.1'],
    ],
    ...[
      ['path', '%P x'],
      ['path', '%P\tx'],
      ['path', ''],
      ['path', '*'],
      ['path', '%P#x'],
      ['path', '%P\\x'],
      ['path', '%P%zz'],
      ['path', '%P\xff'],
    ],
    ...[
      ['path', 'http://b%P'],
      ['path', '%P/..%2fx'],
      ['path', 'api'],
      ['host', ''],
      ['host', 'a b'],
      ['host', 'a/b'],
      ['host', 'a, b'],
      ['host', 'u@a'],
    ],
    ...[
      ['host', 'a\\b'],
      ['host', 'a:x'],
      ['host', '[a'],
      ['host', 'a#b'],
      ['host', 'a?b'],
    ],
  ].map(
    ([field, value]): Http2Vector => ({
      name: `${field} ${JSON.stringify(value)}`,
      verdict: 'refused',
      fields: withPseudo(field as keyof typeof pseudo, value!),
      content: smuggled,
    }),
  ),
  ...[
    ...[
      ['transfer-encoding', 'chunked'],
      ['connection', 'close'],
      ['connection', 'x'],
      ['keep-alive', 'x'],
      ['upgrade', 'h2c'],
      ['te', 'gzip'],
    ],
    ...[
      ['proxy-connection', 'x'],
      ['content-length', '0'],
      ['content-length', '5'],
      ['content-length', '999'],
      ['content-length', '+5'],
      ['content-length', ''],
    ],
    ...[
      ['content-length', '40, 40'],
      ['content-length', 'x'],
      ['content-length', '-1'],
      ['host', 'b'],
      ['Upper', 'x'],
      ['x y', 'x'],
      ['x:', 'x'],
      ['', 'x'],
    ],
    ...[
      [':path', '/api/smuggled'],
      [':method', 'GET'],
      [':authority', 'b'],
      [':unknown', 'x'],
      ['x\xe9', 'x'],
      ['expect', 'magic'],
      [' x', 'x'],
    ],
  ].map(
    ([name, value]): Http2Vector => ({
      name: `field ${name}: ${JSON.stringify(value)}`,
      verdict: /[^a-z-]/.test(name!.replace(/^:/, '')) || name === '' ? 'dropped' : 'refused',
      fields: [...proper, [name!, value!]],
      content: smuggled,
    }),
  ),
  {
    name: 'two lengths',
    verdict: 'refused',
    fields: [...proper, ['content-length', '40'], ['content-length', '41']],
    content: smuggled,
  },
  { name: 'a length without content', verdict: 'refused', fields: [...proper, ['content-length', '5']] },
  { name: 'no host', verdict: 'refused', fields: proper.filter(([name]) => name !== ':authority'), content: smuggled },
  { name: 'no path', verdict: 'refused', fields: proper.filter(([name]) => name !== ':path'), content: smuggled },
  { name: 'a pseudo field after others', verdict: 'refused', fields: [['x', 'y'], ...proper], content: smuggled },
]

/** The fields of a proper request at the backend. */
const addedNames: ReadonlySet<string> = new Set([
  'host',
  'transfer-encoding',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
])

/** Resolves when stream 1 or the connection has ended. */
async function sendHttp2({ port }: Site, { fields, content }: Http2Vector, path: string): Promise<void> {
  const socket = await openHttp2({ port, isTls: true } as never)
  const head = frame(
    frameTypes.headers,
    endHeaders | (content === undefined ? endStream : 0),
    1,
    encodedFields(fields, path),
  )
  const data = content === undefined ? [] : [frame(frameTypes.data, endStream, 1, Buffer.from(content, 'latin1'))]
  const done = new Promise<void>((resolve) => {
    let waiting = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes])
      while (waiting.length >= 9 && waiting.length >= 9 + waiting.readUIntBE(0, 3)) {
        const [type, flags, stream] = [waiting[3]!, waiting[4]!, waiting.readUInt32BE(5)]
        const isEnd = type === frameTypes.reset || (type <= frameTypes.headers && (flags & endStream) !== 0)
        if (stream === 1 && isEnd) resolve()
        waiting = waiting.subarray(9 + waiting.readUIntBE(0, 3))
      }
    })
    socket.on('close', () => resolve())
    socket.on('end', () => resolve())
  })
  socket.write(Buffer.concat([preface, settings(), head, ...data]))
  await done
  socket.destroy()
}

it(`${http2Vectors.length} requests of HTTP/2 that HTTP/1.1 cannot say are refused, or lose what is wrong`, async () => {
  const recorder = await startRecorder()
  const site = await startSite(['-k', keystore, '--backend', `/api=${recorder.origin}`, ...patience])
  const wrong: string[] = []
  for (const [index, vector] of http2Vectors.entries()) {
    const path = `/api/v${index}`
    await sendHttp2(site, vector, path)
    const seen = recorder.seen.splice(0)
    const isForwarded = vector.verdict === 'forwarded' || (vector.verdict === 'dropped' && seen.length > 0)
    const wanted = isForwarded ? [`POST ${path} ${vector.content}`] : []
    const names = seen.flatMap(({ fields }) => fields.map(([name]) => name.toLowerCase()))
    const added = names.filter((name) => !addedNames.has(name))
    if (vector.verdict === 'dropped' && added.length > 0) wrong.push(`${vector.name}: ${added}`)
    const found = seen.map(({ method, url, body }) => `${method} ${url} ${body}`)
    if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push(`${vector.name}: ${JSON.stringify(found)}`)
  }
  expect(wrong).toEqual([])
  expect(recorder.faults).toEqual([])
})
