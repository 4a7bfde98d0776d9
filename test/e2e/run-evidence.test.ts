/** The content of reports of `httpcli run` about each exchange: JSON, HTML, HAR; annotations for GitHub; traces. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let server: RecordingServer
let root: string

const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])

beforeAll(async () => {
  server = await recordingServer({
    '/moved': (_request, response) => response.writeHead(302, { Location: '/gzip' }).end('moved'),
    '/gzip': (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' })
      response.end(gzipSync('word '.repeat(4000)))
    },
    '/image': (_request, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(image),
    '/large': (_request, response) => response.writeHead(200).end(Buffer.alloc(4_000_000, 'x')),
    '/bad': (_request, response) => response.writeHead(500, { 'Content-Type': 'text/plain' }).end('y'.repeat(20_000)),
    '/events': (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
    },
    '/cut': (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('the beginning', () => response.socket?.destroy())
    },
    '/cut-chunk': (_request, response) => {
      response.writeHead(200).write('the beginning', () => response.socket?.destroy())
    },
  })
})
afterAll(() => server.close())

beforeEach(() => {
  root = temporaryDirectory()
  server.requests.length = 0
})

async function run(text: string, ...words: readonly string[]) {
  return runWith({}, text, ...words)
}

async function runWith(env: Readonly<Record<string, string>>, text: string, ...words: readonly string[]) {
  writeFileSync(join(root, 'a.http'), text.replaceAll('$O', server.origin))
  const { code, stdout, stderr } = await runCommand(['run', 'a.http', '-p', 'status', ...words], { cwd: root, env })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

// biome-ignore lint/suspicious/noExplicitAny: documents of several shapes
function read(name: string): any {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}

/** Of each request that the server received. */
function fieldsOf(name: string): readonly (string | undefined)[] {
  return server.requests.map(({ headers }) => {
    const field = headers.find((line) => line.toLowerCase().startsWith(`${name}:`))
    return field?.slice(name.length + 1).trim()
  })
}

/** The exchanges of each request of a JSON report. */
async function exchangesOf(text: string, ...words: readonly string[]) {
  await run(text, '--report', 'json=r.json', ...words)
  return read('r.json').jobs[0].requests.map(({ exchanges }: { exchanges: unknown }) => exchanges)
}

describe('a report has the exchanges of each request', () => {
  it('with redirects, address, heads, decoded bodies and timings', async () => {
    const [[moved, final], [posted]] = await exchangesOf(
      'GET $O/moved\n\n###\nPOST $O/image\nContent-Type: text/plain\n\nhello\n',
    )
    const { port } = new URL(server.origin)
    expect(moved).toMatchObject({
      url: `${server.origin}/moved`,
      remote: { address: '127.0.0.1', port: Number(port) },
      response: { status: 302 },
      timing: { connectMs: expect.any(Number), sendMs: expect.any(Number) },
    })
    expect(final).toMatchObject({
      cause: 'redirect',
      url: `${server.origin}/gzip`,
      response: { body: { sizeBytes: 20_000, isTruncated: true } },
    })
    expect(final.response.body.text).toBe('word '.repeat(300).slice(0, 1024))
    expect(posted).toMatchObject({
      body: { mediaType: 'text/plain', text: 'hello', sizeBytes: 5 },
      response: {
        body: { mediaType: 'image/png', base64: image.toString('base64'), sizeBytes: 6, isTruncated: false },
      },
    })
  })

  it('with 8 KiB of a body if the request failed, and with as much as the option says', async () => {
    const text = '# @assert status == 200\nGET $O/bad\n'
    const sizeOf = async (...words: readonly string[]): Promise<number | undefined> => {
      const [[exchange]] = await exchangesOf(text, ...words)
      return exchange.response.body?.text.length
    }
    expect(await sizeOf()).toBe(8192)
    expect(await sizeOf('--report-body-limit', '1M')).toBe(20_000)
    expect(await sizeOf('--report-body-limit', '10')).toBe(10)
    expect(await sizeOf('--report-body-limit', '0')).toBeUndefined()
  })

  it('with the received part of a truncated body, and with a request that could not be sent', async () => {
    const [[cut], [unsent]] = await exchangesOf('GET $O/cut\n\n###\nGET http://127.0.0.1:1/x\n')
    expect(cut.response.body).toEqual({ mediaType: '', sizeBytes: 100, text: 'the beginning', isTruncated: true })
    expect(unsent).toMatchObject({ isUnsent: true, url: 'http://127.0.0.1:1/x' })
  })

  it('and with the failure of a request whose body, of unknown length, was truncated', async () => {
    const { code, err } = await run('GET $O/cut-chunk\n', '--report', 'json=r.json')
    expect(code).toBe(4)
    expect(err).toContain('closed the connection before the response was complete; 13 bytes of the body had arrived')
    expect(read('r.json').counts).toMatchObject({ passed: 0, errors: 1 })
  })

  it('and is written without reading a large response to its end', async () => {
    const [[exchange]] = await exchangesOf('GET $O/large\n')
    expect(exchange.response.body.text).toBe('x'.repeat(1024))
    expect(exchange.bytesReceived).toBeLessThan(4_000_000)
  })

  it('and is written without waiting for the rest of an event stream', async () => {
    const { code } = await run('GET $O/events\n', '--report', 'json=r.json')
    expect(code).toBe(0)
    expect(read('r.json').jobs[0].requests[0].exchanges[0].response.body).toMatchObject({ isTruncated: true })
  })

  it('but no bodies of a request that must not be logged', async () => {
    const [[exchange]] = await exchangesOf('# @no-log\nPOST $O/image\n\nhello\n')
    expect(exchange.body).toBeUndefined()
    expect(exchange.response.body).toBeUndefined()
  })

  it.each([[[]], [['--report', 'junit=r.xml']]])('--report-body-limit needs bodies: %j', async (reports) => {
    const { code, err } = await run('GET $O/\n', '--report-body-limit', '1k', ...reports)
    expect([code, err]).toEqual([1, expect.stringContaining('--report-body-limit needs a report that has bodies')])
    expect(server.requests).toEqual([])
  })

  it.each(['17M', 'x', '-1', '1.5k'])('--report-body-limit %s is an error', async (limit) => {
    const { code, err } = await run('GET $O/\n', '--report', 'html=r.html', `--report-body-limit=${limit}`)
    expect([code, err]).toEqual([1, expect.stringContaining('expected a size from 0 to 16M')])
  })
})

interface HarEntry {
  readonly request: { readonly method: string; readonly url: string; readonly postData?: { readonly text: string } }
}

describe('an HTTP archive', () => {
  it('is converted back to the same requests', async () => {
    const text = `GET $O/moved?a=b%20c
X-A: b

###
POST $O/image
Content-Type: application/json

{"a": "ä"}
`
    const { code } = await run(text, '--report', 'har=r.har')
    expect(code).toBe(0)
    const { entries } = read('r.har').log
    const sent = server.requests.map(({ line, body }) => `${line} ${body}`)
    const shown = entries.map(({ request: { method, url, postData } }: HarEntry) => {
      return `${method} ${url.slice(server.origin.length)} HTTP/1.1 ${postData?.text ?? ''}`
    })
    expect(shown).toEqual(sent)
    server.requests.length = 0
    const converted = await runCommand(['convert', 'r.har'], { cwd: root })
    expect(converted.stderr.toString()).toBe('')
    writeFileSync(join(root, 'back.http'), converted.stdout)
    const again = await runCommand(['run', 'back.http', '-p', 'status'], { cwd: root })
    expect(again.code).toBe(0)
    expect(server.requests.map(({ line, body }) => `${line} ${body}`)).toEqual(sent)
    expect(fieldsOf('x-a')[0]).toBe('b')
  })
})

describe('--report github', () => {
  const failing = '### Wrong\n# @assert status == 200\nGET $O/bad\n'

  it('annotates after the totals, and appends a summary to the step summary file', async () => {
    writeFileSync(join(root, 'summary.md'), 'before\n')
    writeFileSync(join(root, 'a.http'), failing.replaceAll('$O', server.origin))
    const env = { GITHUB_STEP_SUMMARY: join(root, 'summary.md'), GITHUB_WORKSPACE: dirname(root) }
    const { code, stdout, stderr } = await runCommand(['run', 'a.http', '--report', 'github'], { cwd: root, env })
    expect([code, stderr.toString()]).toEqual([5, ''])
    expect(stdout.toString().trimEnd().split('\n').at(-1)).toBe(
      `::error file=${basename(root)}/a.http,line=2,col=11,title=Wrong%3A status == 200::expected: 200%0Aactual:   500`,
    )
    expect(readFileSync(join(root, 'summary.md'), 'utf8')).toMatch(/^before\n## httpcli run: Failed\n/)
  })

  it('annotates on standard error if standard output is for responses', async () => {
    const { out, err } = await run(failing, '--report', 'github')
    expect(out).toBe('HTTP/1.1 500 Internal Server Error\n')
    expect(err).toMatch(/^::error file=a\.http,line=2,/m)
  })

  it('keeps GitHub from reading commands in responses and logs', async () => {
    const script = '\n> {%\nclient.log("::set-output name=a::b")\n%}\n'
    const protectedOutput = /^::stop-commands::(\S+)\n[\s\S]*^::set-output [\s\S]*^::\1::\n::error .*\n$/m
    const { err } = await runWith({ GITHUB_ACTIONS: 'true' }, failing + script, '--report', 'github')
    expect(err).toMatch(protectedOutput)
    const words = ['run', 'a.http', '-p', 'response', '--report', 'github']
    const { stdout } = await runCommand(words, { cwd: root, env: { GITHUB_ACTIONS: 'true' } })
    expect(stdout.toString()).toMatch(protectedOutput)
  })

  it('annotates a file that does not parse', async () => {
    const { code, err } = await run('GET\n', '--report', 'github')
    expect(code).toBe(2)
    expect(err).toContain('::error file=a.http,line=1,col=1,')
  })

  it('omits what would make the summary too large', async () => {
    writeFileSync(join(root, 'summary.md'), '.'.repeat(1024 * 1024 - 9000))
    const assertions = Array.from({ length: 100 }, (_, index) => `# @assert status == ${600 + index}\n`).join('')
    const env = { GITHUB_STEP_SUMMARY: 'summary.md' }
    await runWith(env, `${assertions}GET $O/bad\n`, '--report', 'github')
    const summary = readFileSync(join(root, 'summary.md'))
    expect(summary.length).toBeLessThanOrEqual(1024 * 1024)
    expect(summary.toString()).toMatch(/\d+ more failures are left out\./)
  })

  it('sends nothing if the summary cannot be written', async () => {
    const { code, err } = await runWith({ GITHUB_STEP_SUMMARY: root }, 'GET $O/image\n', '--report', 'github')
    expect([code, err]).toEqual([4, expect.stringContaining('(GITHUB_STEP_SUMMARY) cannot be written')])
    expect(server.requests).toEqual([])
  })

  it.each([
    [['--report', 'github', '--json'], '--report github and --json both write to standard output'],
    [['--report', 'github', '--report', 'tap=-'], '--report github and a report to - both write to standard output'],
    [['--report', 'github=x.txt'], 'github takes no file'],
  ])('is refused: %j', async (words, message) => {
    const { code, err } = await run('GET $O/image\n', ...words)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
    expect(server.requests).toEqual([])
  })
})

describe('--trace', () => {
  const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/
  const text = 'GET $O/moved\n\n###\nGET $O/image\n\n###\nGET $O/image\ntraceparent: mine\n'

  it('sends one trace for a run, and a span for each request', async () => {
    const { code } = await run(text, '--trace', '--repeat', '2', '--report', 'json=r.json')
    expect(code).toBe(0)
    const sent = fieldsOf('traceparent')
    expect([sent[3], sent[7]]).toEqual(['mine', 'mine'])
    const ids = sent.filter((value) => value !== 'mine').map((value) => traceparent.exec(value ?? '') ?? [])
    expect(new Set(ids.map(([, traceId]) => traceId)).size).toBe(1)
    // A redirect is the same span.
    expect(new Set(ids.map(([, , spanId]) => spanId)).size).toBe(4)
    const [first] = read('r.json').jobs[0].requests
    expect(first.exchanges[1].trace).toEqual({ traceId: ids[0]?.[1], spanId: ids[0]?.[2] })
  })

  it('is reproducible with a seed, and changes no other value', async () => {
    const seeded = async (...words: readonly string[]) => {
      server.requests.length = 0
      await run('GET $O/image?{{$uuid}}\n', '--seed', '7', ...words)
      return server.requests.map(({ line }, index) => [line, fieldsOf('traceparent')[index]])
    }
    const [[line, value] = []] = await seeded('--trace')
    expect(value).toMatch(traceparent)
    expect(await seeded('--trace')).toEqual([[line, value]])
    expect(await seeded()).toEqual([[line, undefined]])
  })

  it('has its IDs in --json', async () => {
    writeFileSync(join(root, 'b.http'), `GET ${server.origin}/image\n`)
    const { stdout } = await runCommand(['run', 'b.http', '--json', '--trace'], { cwd: root })
    const lines = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { traceId, spanId } = lines.find(({ type }) => type === 'request-sent')
    expect(fieldsOf('traceparent')[0]).toBe(`00-${traceId}-${spanId}-01`)
  })
})
