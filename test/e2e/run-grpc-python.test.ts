/**
 * GRPC requests to a server of grpcio: the interoperability cases of the gRPC project that a request file can express.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { protoFile } from '../helpers/grpc-server.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

const python = '/usr/bin/python3'
const hasPeer = spawnSync(python, ['-c', 'import grpc'], { cwd: '/' }).status === 0

const protos = Object.fromEntries(
  ['shop.proto', 'legacy.proto', 'types/money.proto'].map((name) => [name, readFileSync(protoFile(name))]),
)

describe.skipIf(!hasPeer)('a grpcio server', () => {
  let peer: ChildProcess
  let address = ''
  beforeAll(async () => {
    const script = fileURLToPath(new URL('../fixtures/grpc/peer.py', import.meta.url))
    peer = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'], cwd: '/' })
    const [first] = (await once(peer.stdout!, 'data')) as [Buffer]
    address = `127.0.0.1:${first.toString().trim()}`
  })
  afterAll(() => void peer.stdin!.end())

  async function run(
    method: string,
    body: string,
    words: readonly string[] = ['-p', 'body'],
    head = '',
  ): Promise<{ code: number | null; out: string; err: string }> {
    const target = method.includes('/') ? method : `shop.v1.Shop/${method}`
    const [tags, fields = ''] = head.split('|')
    const text = `${tags}# @grpc-proto shop.proto\n# @grpc-proto legacy.proto\nGRPC ${address}/${target}\n${fields}\n${body}\n`
    const directory = directoryWith({ 'a.http': text, ...protos })
    const { code, stdout, stderr } = await runCommand(['run', 'a.http', ...words], { cwd: directory.path })
    directory.remove()
    return { code, out: stdout.toString().replaceAll('\r', ''), err: stderr.toString() }
  }

  it('answers an empty call', async () => {
    expect(await run('Get', '')).toMatchObject({ code: 0, out: '{}' })
  })

  it('answers a large call', async () => {
    const { code, out } = await run('Get', JSON.stringify({ name: 'x'.repeat(3_000_000) }))
    expect([code, (JSON.parse(out) as { name: string }).name.length]).toEqual([0, 3_000_000])
  })

  it('answers streams of the client, the server and both', async () => {
    expect((await run('Put', '{}\n===\n{"id": "b"}\n===\n{}')).out).toBe('{"count":3}')
    expect((await run('List', '{}')).out).toBe('{"id":"A"}\n{"id":"B"}\n{"id":"C"}\n')
    const chat = '{"id": "1"}\n=== wait-for-server\n{"id": "2"}\n=== wait-for-server\n'
    expect((await run('Chat', chat)).out).toBe('{"id":"1"}\n{"id":"2"}\n')
  })

  it('receives and sends metadata', async () => {
    const { out } = await run('Get', '{}', [], '|x-token: abc\n')
    expect(out).toContain('x-head: abc\n')
    expect(out).toMatch(/^x-raw-bin: AP8=?$/m)
    expect(out).toContain('x-trail: last\n')
  })

  it('sends statuses with messages of any characters', async () => {
    const { code, out } = await run('Get', '{"id": "missing"}')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      code: 5,
      message: '\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \u{1f608}\t\n',
    })
  })

  it('reports unimplemented methods', async () => {
    const { code, out } = await run('shop.legacy.Depot/Find', '{"id": "1"}', [])
    expect([code, out]).toEqual([0, expect.stringContaining('gRPC 12 UNIMPLEMENTED\n')])
  })

  it('accepts and sends compressed messages', async () => {
    const message = { id: 'compressed', name: 'y'.repeat(10_000) }
    const { out } = await run('Get', JSON.stringify(message), ['-p', 'body'], '|grpc-encoding: gzip\n')
    expect(JSON.parse(out)).toEqual(message)
  })

  it('is abandoned at the deadline', async () => {
    const { code, err } = await run('Get', '{"id": "slow"}', [], '# @timeout 300 ms\n')
    expect([code, err]).toEqual([4, expect.stringContaining('did not finish the call within 0.3 s (@timeout)')])
  })
})
