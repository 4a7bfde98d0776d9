/** GRPC requests of the built command, to servers of another implementation. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeAuthority, makeCertificate } from '../helpers/certificates.ts'
import { runCommand } from '../helpers/command.ts'
import { type GrpcPeer, grpcServer, protoFile } from '../helpers/grpc-server.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

let peer: GrpcPeer
beforeAll(async () => {
  peer = await grpcServer()
})
afterAll(() => peer.close())

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function run(
  text: string,
  words: readonly string[] = [],
  files: Readonly<Record<string, string | Uint8Array>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const directory = directoryWith({ 'a.http': text.replaceAll('$A', peer.address), ...files })
  try {
    const { code, stdout, stderr } = await runCommand(['run', 'a.http', ...words], { cwd: directory.path, env })
    return { code, out: stdout.toString().replaceAll('\r', ''), err: stderr.toString() }
  } finally {
    directory.remove()
  }
}

/** Less than the messages of the long stream. The executable collects garbage as on a small machine. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=35', BUN_JSC_forceRAMSize: '20000000' }

const read = (name: string): string => readFileSync(protoFile(name), 'utf8')
const protos = { 'protos/shop.proto': read('shop.proto'), 'protos/types/money.proto': read('types/money.proto') }
const toMuteless = (message: string): string =>
  `# @grpc-proto protos/shop.proto\nGRPC 127.0.0.1:9/shop.v1.Shop/Get\n\n${message}\n`
const get = (message: string, head = ''): string => `${head}GRPC $A/shop.v1.Shop/Get\n\n${message}\n`

describe('a call with one message', () => {
  it('is sent and answered as JSON, by the canonical mapping', async () => {
    const message = {
      id: '7',
      stock: '9007199254740993',
      image: 'AQID',
      size: 'LARGE',
      tags: ['a', 'b'],
      counts: { x: 1 },
      namedParts: { p: { label: 'l' } },
      warehouse: 4,
      isNew: false,
      madeAt: '2026-01-02T03:04:05.006Z',
      shelfLife: '1.500s',
      extra: { '@type': 'type.googleapis.com/shop.types.Money', currency: 'EUR', units: '-5' },
      note: 'text',
      mask: 'a,bC',
      data: { list: [1, null, 'x', true] },
      price: { currency: 'EUR' },
      parts: [{ parts: [{ label: 'inner' }] }],
      weight: 'Infinity',
    }
    const { code, out, err } = await run(get(JSON.stringify(message)), ['-p', 'body'])
    expect(err).toContain('1 request: 1 answered')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ ...message, name: 'item 7' })
  })

  it('accepts names of the .proto file, exact numbers, and no body', async () => {
    const { out } = await run(get('{"is_new": true, "stock": 9007199254740995}'), ['-p', 'body'])
    expect(JSON.parse(out)).toMatchObject({ isNew: true })
    expect((await run('GRPC $A/shop.v1.Shop/Get\n', ['-p', 'body'])).out).toContain('"name":"item undefined"')
  })

  it('keeps an untyped number a number, however long', async () => {
    const { code, out } = await run(get('{"data": {"a": [12345678901234567890]}, "weight": 12345678901234567890}'), [
      ...['-p', 'body'],
    ])
    expect([code, out]).toEqual([0, expect.stringContaining('"data":{"a":[12345678901234567000]}')])
    expect(out).toContain('"weight":12345678901234567000')
  })

  it('sends headers as metadata and shows those of the server, including trailers', async () => {
    const text = 'GRPC $A/shop.v1.Shop/Get\nx-token: abc\nx-raw-bin: AQID\nContent-Type: application/json\n\n{}\n'
    const { out } = await run(text)
    expect(peer.calls.at(-1)).toMatchObject({ 'x-token': 'abc', 'x-raw-bin': Buffer.from([1, 2, 3]) })
    expect(out).toMatch(/^gRPC 0 OK$/m)
    expect(out).toContain('x-head: from the server\n')
    expect(out).toContain('x-data-bin: AQID\n')
    expect(out).toContain('x-trail: last\n')
  })

  it('has assertions, captures and handlers', async () => {
    const { code, out } = await run(
      `### one
# @assert status == 0
# @assert jsonpath $.name == "item 1"
# @assert header x-trail == last
# @capture name = $.name
${get('{"id": "1"}')}
> {%
  client.test("body", () => client.assert(response.body.id === "1" && response.status === 0))
  client.global.set("again", response.body.id + "b")
%}

### two
# @assert jsonpath $.tags == ["item 1"]
# @assert jsonpath $.id == "1b"
${get('{"id": "{{again}}", "tags": ["{{name}}"]}')}`,
    )
    expect(out).not.toContain('FAILED')
    expect([code, out.match(/^passed/gm)?.length]).toEqual([0, 6])
  })

  it('shows a status other than OK, which fails only with --fail', async () => {
    const text = get(
      '{"id": "missing"}',
      '# @assert status == 5\n# @assert jsonpath $.message contains "100 % sure, ä"\n',
    )
    const { code, out } = await run(text)
    expect(out).toMatch(/^gRPC 5 NOT_FOUND$/m)
    expect(out).toContain('grpc-message: no item missing: 100 % sure, ä\n')
    expect(code).toBe(0)
    const failing = await run(get('{"id": "missing"}'), ['--fail'])
    expect(failing.code).toBe(5)
    expect(failing.out).toContain('5 NOT_FOUND')
    expect(failing.out).toContain('1 with an error status')
  })

  it.each<[string, number[]]>([
    ['a message', [0, 0, 0, 0, 3, 0x0a, 1, 0x61]],
    ['half a message', [0, 0, 0, 0, 9, 0x0a]],
  ])('shows a status other than OK after %s', async (_, bytes) => {
    const server = createHttp2Server().on('stream', (stream) => {
      stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '8', 'grpc-message': 'too much' }))
      stream.end(Buffer.from(bytes))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, out } = await run(get('{}', '# @grpc-proto protos/shop.proto\n').replace('$A', address), [], protos)
    server.close()
    expect([code, out]).toEqual([0, expect.stringContaining('gRPC 8 RESOURCE_EXHAUSTED\n')])
    expect(out).toContain('{"code":8,"message":"too much"}')
  })

  it('shows the details of an error', async () => {
    const { out } = await run(get('{"id": "details"}'), ['-p', 'body'])
    expect(JSON.parse(out)).toEqual({ code: 3, message: 'x', details: [{ '@type': 't.test/Ab', value: 'Bw==' }] })
  })

  it('is compressed if its metadata says so', async () => {
    const text = `GRPC $A/shop.v1.Shop/Get\ngrpc-encoding: gzip\n\n{"id": "${'x'.repeat(100_000)}"}\n`
    const { code, out } = await run(text, ['-p', 'body'])
    expect([code, (JSON.parse(out) as { id: string }).id.length]).toEqual([0, 100_000])
  })

  it('ends at its deadline, and the server is notified', async () => {
    const { code, err } = await run(get('{"id": "slow"}', '# @timeout 300 ms\n'))
    expect(err).toContain('did not finish the call within 0.3 s (@timeout)')
    expect(code).toBe(4)
    await vi.waitUntil(() => peer.cancelled() > 0, 10_000)
  })

  it('asks reflection once for all requests of a run', async () => {
    const before = peer.reflections()
    await run([1, 2, 3].map((id) => get(`{"id": "${id}"}`)).join('\n###\n'))
    expect(peer.reflections() - before).toBeLessThanOrEqual(8)
  })

  it('is shown by --dry-run, and nothing is sent', async () => {
    const count = peer.calls.length
    const { code, out } = await run(get('{"id": "7"}', '# @timeout 2 s\n'), ['--dry-run'])
    expect([code, peer.calls.length]).toEqual([0, count])
    expect(out).toContain('POST /shop.v1.Shop/Get HTTP/1.1')
    expect(out).toContain('grpc-timeout: 2000m')
    expect(out).toContain('{"id": "7"}')
  })

  it('appears in reports with its messages as JSON', async () => {
    const { out } = await run(get('{"id": "7"}'), ['--report', 'json=-', '-p', 'body'])
    expect(out).toContain('\\"id\\": \\"7\\"')
    expect(out).toContain('item 7')
  })
})

describe('a body that does not match the types is an error with its place, and is not sent', () => {
  it.each<[string, string, string]>([
    ['a field', get('{"nmae": "x"}'), 'a.http:3:1: the message does not match shop.v1.Item: $.nmae: no field "nmae"'],
    ['a value', get('{"parts": [{}, {"label": 5}]}'), '$.parts[1].label: expected string, found 5'],
    ['an item of a list', get('{"tags": ["a", 7]}'), '$.tags[1]: expected string in a list, found 7'],
    ['a value of a map', get('{"counts": {"a": "x"}}'), '$.counts["a"]: expected int32 as a value of a map, found "x"'],
    ['an enum', get('{"size": "LARG"}'), 'expected one of SIZE_UNKNOWN, SMALL, LARGE, found "LARG"'],
    ['a time', get('{"madeAt": "today"}'), '$.madeAt: expected google.protobuf.Timestamp'],
    ['two of a oneof', get('{"country": "a", "warehouse": 1}'), 'oneof'],
    ['a number in place of a text', get('{"name": 12345678901234567890}'), '$.name: expected string, found 1234'],
    ['a number in place of bytes', get('{"image": 12345678901234567890}'), '$.image: expected bytes, found 1234'],
    ['text that is not JSON', get('{"id": }'), 'a.http:3:1: the message is not JSON'],
    ['a method', 'GRPC $A/shop.v1.Shop/Gett\n\n{}', 'a.http:1:6: no method Gett in the service shop.v1.Shop'],
    ['a service', 'GRPC $A/shop.v1.Shp/Get\n\n{}', 'a.http:1:6: no service shop.v1.Shp in 127.0.0.1:'],
    ['two messages', get('{}\n===\n{}'), 'the method Get takes one message, found 2'],
  ])('%s', async (_, text, message) => {
    const count = peer.calls.length
    const { code, err } = await run(text)
    expect(err).toContain(message)
    expect([code, peer.calls.length]).toEqual([4, count])
  })

  it('and the nearest name is suggested', async () => {
    expect((await run(get('{"nmae": "x"}'))).err).toContain('hint: Did you mean name?')
    expect((await run('GRPC $A/shop.v1.Shp/Get\n\n{}')).err).toContain('hint: Did you mean shop.v1.Shop?')
  })
})

describe('streams', () => {
  it('of the server are shown as they arrive, then the status', async () => {
    const { code, out } = await run(
      '# @assert status == 0\n# @assert jsonpath $[2].id == "2"\nGRPC $A/shop.v1.Shop/List\n\n{"count": 3}\n',
    )
    expect(code).toBe(0)
    expect(out).toMatch(/\{"id":"0"\}\n\{"id":"1"\}\n\{"id":"2"\}\ngRPC 0 OK\n/)
  })

  it('of the server may end with an error', async () => {
    const text = 'GRPC $A/shop.v1.Shop/List\n\n{"count": 2, "fails": true}\n'
    const { code, out } = await run(`# @assert status == 15\n${text}`)
    expect([code, out]).toEqual([0, expect.stringMatching(/\{"id":"1"\}\ngRPC 15 DATA_LOSS\n/)])
    expect((await run(text, ['--fail'])).code).toBe(5)
  })

  it('of the client are sent in order', async () => {
    const { out } = await run('GRPC $A/shop.v1.Shop/Put\n\n{"id": "a"}\n===\n{"id": "b"}\n===\n{"id": "c"}\n', [
      '-p',
      'body',
    ])
    expect(JSON.parse(out)).toEqual({ names: ['a', 'b', 'c'], count: 3 })
  })

  it('in both directions wait as the file says', async () => {
    const text = 'GRPC $A/shop.v1.Shop/Chat\n\n{"id": "a"}\n=== wait-for-server\n{"id": "b"}\n=== wait-for-server\n'
    const { code, out } = await run(text, ['-p', 'body', '-l'])
    expect(code).toBe(0)
    const shown = out.match(/"id": ?"[^"]*"/g)?.map((each) => each.replace(': ', ':'))
    expect(shown).toEqual(['"id":"a"', '"id":"re a"', '"id":"b"', '"id":"re b"'])
  })

  it.each(['', '\n{"id": "b"}'])(
    'fail if the server ends the call while a message is awaited before %j',
    async (rest) => {
      const text = `GRPC $A/shop.v1.Shop/Chat\n\n{"id": "a"}\n=== wait-for-server\n{"id": "bye"}\n=== wait-for-server${rest}\n`
      const { code, err } = await run(text)
      expect([code, err]).toEqual([
        4,
        expect.stringContaining('ended the call with the status OK, but the request waits for a message'),
      ])
    },
  )

  it('go message by message to handlers, which may reply or end the stream', async () => {
    const { code, out } = await run(`GRPC $A/shop.v1.Shop/Chat

{"id": "a"}

> {%
  let count = 0
  response.body.onEachMessage((message, unsubscribe, output) => {
    client.log("got", message.id)
    if (++count === 3) unsubscribe()
    else output({ id: message.id + "!" })
  })
%}
`)
    expect(code).toBe(0)
    expect(out.match(/^got .*$/gm)).toEqual(['got re a', 'got re re a!', 'got re re re a!!'])
  })

  it('go to handlers that take longer than the stream stays open without them', async () => {
    const { code, out } = await run(`GRPC $A/shop.v1.Shop/Chat

{"id": "a"}

> {%
  let count = 0
  await response.body.onEachMessage(async (message, unsubscribe, output) => {
    client.log("got", message.id)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    if (++count === 2) unsubscribe()
    else output({ id: message.id + "!" })
  })
%}
`)
    expect(code).toBe(0)
    expect(out.match(/^got .*$/gm)).toEqual(['got re a', 'got re re a!'])
  })

  it('report a message that a handler sends after the stream was closed', async () => {
    const { code, out } = await run(`GRPC $A/shop.v1.Shop/Chat

{"id": "a"}

> {%
  response.body.onEachMessage((message, unsubscribe, output) => {
    setTimeout(() => output({ id: "late" }), 2500)
  })
%}
`)
    expect([code, out]).toEqual([5, expect.stringContaining('the message comes too late')])
  })

  it('of 10,000 messages use less memory than the size of the messages', async () => {
    const list = (count: number): string => `GRPC $A/shop.v1.Shop/List\n\n{"count": ${count}, "size": 5000}\n`
    const { code, out } = await run(list(10_000), ['-p', 'body'], {}, smallHeap)
    expect(code).toBe(0)
    expect(out.match(/"id"/g)?.length).toBe(10_000)
  })

  it('cannot wait if the server cannot reply', async () => {
    const { code, err } = await run('GRPC $A/shop.v1.Shop/Put\n\n{}\n=== wait-for-server\n{}\n')
    expect([code, err]).toEqual([4, expect.stringContaining('answers after all messages have been sent')])
  })
})

describe('types from files', () => {
  let mute: GrpcPeer
  beforeAll(async () => {
    mute = await grpcServer({ reflection: 'none' })
  })
  afterAll(() => mute.close())
  const price = '{"id": "1", "price": {"units": 4}, "namedParts": {"a": {"label": "b"}}, "isNew": true, "country": "x"}'
  const toMute = (head: string, message = price): string => get(message, head).replace('$A', mute.address)

  it('are read with their imports, and reflection is not needed', async () => {
    const { code, out } = await run(toMute('# @grpc-proto protos/shop.proto\n'), ['-p', 'body'], protos)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ ...(JSON.parse(price) as object), price: { units: '4' } })
  })

  it('may import from another directory', async () => {
    const files = {
      'a/shop.proto': protos['protos/shop.proto'],
      'b/types/money.proto': protos['protos/types/money.proto'],
    }
    const missing = await run(toMute('# @grpc-proto a/shop.proto\n'), [], files)
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining('imports "types/money.proto"')])
    expect(missing.err).toContain('hint: Name its directory with "# @grpc-import-path directory".')
    const head = '@dir = b\n# @grpc-proto a/shop.proto\n# @grpc-import-path {{dir}}\n'
    expect((await run(toMute(head), [], files)).code).toBe(0)
  })

  it('may be a descriptor set', async () => {
    const set = fileURLToPath(new URL('../fixtures/grpc/shop.protoset', import.meta.url))
    const files = { 'shop.protoset': readFileSync(set) }
    const { code, out } = await run(toMute('# @grpc-protoset shop.protoset\n'), ['-p', 'body'], files)
    expect([code, out]).toEqual([0, expect.stringContaining('item 1')])
  })

  it.each<[string, string, string]>([
    ['a field', toMuteless('{"nmae": "x"}'), 'a.http:4:1: the message does not match shop.v1.Item: $.nmae'],
    ['a method', toMuteless('{}').replace('/Get', '/Gett'), 'a.http:2:6: no method Gett in the service shop.v1.Shop'],
    [
      'a file',
      toMuteless('{}').replace('shop.proto', 'shp.proto'),
      'a.http:1:1: the file protos/shp.proto does not exist',
    ],
    ['a path', toMuteless('{}').replace('protos/', '../../'), 'outside of the file root'],
  ])('let check find mismatches: %s', async (_, text, message) => {
    const directory = directoryWith({ 'a.http': text, ...protos })
    const { code, stderr } = await runCommand(['check', 'a.http'], { cwd: directory.path })
    directory.remove()
    expect(stderr.toString()).toContain(message)
    expect(code).toBe(4)
  })

  it('do not make check reject values known only during a run', async () => {
    const text = `### one\n# @capture id = $.id\n${toMuteless('{}')}\n### two\n${toMuteless('{"stock": {{id}}}')}`
    const directory = directoryWith({ 'a.http': text, ...protos })
    const { code } = await runCommand(['check', 'a.http'], { cwd: directory.path })
    directory.remove()
    expect(code).toBe(0)
  })
})

describe('servers', () => {
  it('with only reflection v1alpha are supported', async () => {
    const old = await grpcServer({ reflection: 'v1alpha' })
    const { code, out } = await run(get('{"id": "1"}').replace('$A', old.address), ['-p', 'body'])
    old.close()
    expect([code, out]).toEqual([0, expect.stringContaining('item 1')])
  })

  it('without reflection cause an error that says what to do', async () => {
    const mute = await grpcServer({ reflection: 'none' })
    const { code, err } = await run(get('{}').replace('$A', mute.address))
    mute.close()
    expect(err).toContain(`${mute.address} has no reflection`)
    expect(err).toContain('# @grpc-proto')
    expect(code).toBe(4)
  })

  it('over TLS are reached by grpcs://, with a client certificate', async () => {
    const directory = directoryWith({})
    const authority = makeAuthority(directory.path)
    const [server, client] = ['server', 'client'].map((name) =>
      makeCertificate(directory.path, { name, authority, names: ['IP:127.0.0.1'] }),
    )
    const text = (path: string): string => readFileSync(path, 'utf8')
    const secure = await grpcServer({
      tls: { key: text(server!.key), cert: text(server!.certificate), ca: text(authority.certificate) },
    })
    const call = get('{"id": "1"}').replace('GRPC $A', `GRPC grpcs://${secure.address}`)
    const trusted = ['--cacert', authority.certificate, '--cert', client!.certificate, '--key', client!.key]
    const { code, out } = await run(call, ['-p', 'body', ...trusted])
    const refused = await run(call)
    secure.close()
    directory.remove()
    expect([code, out]).toEqual([0, expect.stringContaining('item 1')])
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('certificate')])
  })
})

describe('--list-services', () => {
  it('prints requests that can be run', async () => {
    const { code, stdout } = await runCommand(['run', '--list-services', peer.address])
    const stubs = stdout.toString()
    expect(code).toBe(0)
    expect(stubs.match(/^### .*$/gm)).toEqual(['Get', 'List', 'Put', 'Chat'].map((name) => `### shop.v1.Shop/${name}`))
    const { code: runCode, err } = await run(stubs, ['-p', 'status', '--fail'])
    expect([runCode, err]).toEqual([0, expect.stringContaining('4 requests: 4 answered, 0 failed')])
  })

  it.each<[string, string, number, string]>([
    ['a server that is not there', '127.0.0.1:1', 4, 'connection refused'],
    ['what is not an address', 'a.http/x', 4, 'is not the address of a gRPC server'],
  ])('%s is an error', async (_, address, wanted, message) => {
    const { code, stderr } = await runCommand(['run', '--list-services', address])
    expect([code, stderr.toString()]).toEqual([wanted, expect.stringContaining(message)])
  })
})

describe('the way to a server', () => {
  it('is a tunnel through an HTTP proxy', async () => {
    const tunnels: string[] = []
    const proxy = createHttpServer()
    proxy.on('connect', (request, socket: Socket) => {
      tunnels.push(request.url ?? '')
      const [host, port] = (request.url ?? '').split(':')
      const target = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(target).pipe(socket)
      })
      for (const each of [socket, target]) each.on('error', () => undefined)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const { code, out } = await run(get('{"id": "1"}'), ['-p', 'body', '--proxy', `http://127.0.0.1:${port}`])
    proxy.close()
    expect([code, out]).toEqual([0, expect.stringContaining('item 1')])
    expect(tunnels).toEqual([peer.address])
  })

  it('is a Unix domain socket', async () => {
    const directory = directoryWith({})
    const path = join(directory.path, 'grpc.sock')
    const [host, port] = peer.address.split(':')
    const relay = createTcpServer((socket) => {
      const target = connect(Number(port), host)
      socket.pipe(target).pipe(socket)
      for (const each of [socket, target]) each.on('error', () => undefined)
    }).listen(path)
    await once(relay, 'listening')
    const text = 'GRPC shop.test/shop.v1.Shop/Get\n\n{"id": "1"}\n'
    const { code, out } = await run(text, ['-p', 'body', '--unix-socket', path])
    relay.close()
    directory.remove()
    expect([code, out]).toEqual([0, expect.stringContaining('item 1')])
  })
})
