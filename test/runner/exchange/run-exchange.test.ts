/** How requests of a file are executed: fields, connections, redirects, cookies, Digest, time limits, files. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RunCookies } from '../../../src/runner/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

/** Answers 401 until the right answer to its challenge comes. */
function digestServer(nonceOf: () => string) {
  return (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const given = request.headers.authorization ?? ''
    const field = (name: string): string => new RegExp(`\\b${name}="?([^",]*)`).exec(given)?.[1] ?? ''
    const secret = md5('ada:area:love lace')
    const subject = md5(`${request.method}:${request.url}`)
    const wanted = md5(`${secret}:${field('nonce')}:${field('nc')}:${field('cnonce')}:auth:${subject}`)
    const nonce = nonceOf()
    if (field('response') === wanted && field('nonce') === nonce) {
      response.end(`welcome ${field('nc')} ${body}`)
      return
    }
    const stale = field('response') === wanted ? ', stale=true' : ''
    response
      .writeHead(401, { 'WWW-Authenticate': `Digest realm="area", nonce="${nonce}", qop="auth", opaque="o"${stale}` })
      .end('who?')
  }
}

let nonce = 'n1'
let server: RecordingServer
let other: RecordingServer

beforeAll(async () => {
  other = await recordingServer()
  const redirect =
    (status: number, location: string) =>
    (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(status, { Location: location }).end('moved')
    }
  server = await recordingServer({
    '/301': redirect(301, '/to'),
    '/303': redirect(303, 'to?a=b'),
    '/307': redirect(307, '/to'),
    '/away': redirect(302, `${other.origin}/landed`),
    '/round': redirect(302, '/round'),
    '/login': (_request, response) =>
      response.writeHead(302, { Location: '/login-done', 'Set-Cookie': ['a=1', 'b=2; Path=/x'] }).end(),
    '/gate': (request, response) => {
      if (request.headers.cookie === undefined)
        response.writeHead(302, { Location: '/gate', 'Set-Cookie': 'g=1' }).end()
      else response.end('in')
    },
    '/digest': digestServer(() => nonce),
    '/bearer': (_request, response) => response.writeHead(401, { 'WWW-Authenticate': 'Bearer realm="r"' }).end(),
    '/slow': () => undefined,
    '/stalls': (_request, response) => {
      response.writeHead(200)
      response.write('begun')
    },
    '/text': (_request, response) => response.writeHead(200, { 'Content-Type': 'text/plain' }).end('text'),
    '/gzip': (_request, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('unpacked')),
    '/none': (_request, response) => response.writeHead(204).end(),
    '/cut': (_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('half', () => response.destroy())
    },
    '/404': (_request, response) => response.writeHead(404).end(),
  })
})
beforeEach(() => {
  server.requests.length = 0
  other.requests.length = 0
})
afterAll(async () => {
  await server.close()
  await other.close()
})

/** Runs requests separated by `###`, `$O` being the server. */
const run = (text: string, settings: Parameters<typeof runText>[1] = {}) =>
  runText(text.replaceAll('$O', server.origin), settings)
const lines = (of: RecordingServer = server): string[] => of.requests.map(({ line }) => line.replace(' HTTP/1.1', ''))
const field = (index: number, name: string, of: RecordingServer = server): string | undefined =>
  of.requests[index]?.headers.find((header) => header.toLowerCase().startsWith(`${name}: `))?.slice(name.length + 2)

describe('default header fields', () => {
  it('are User-Agent, Accept and Accept-Encoding', async () => {
    await run('GET $O/text', { userAgent: 'me/1' })
    expect([field(0, 'user-agent'), field(0, 'accept'), field(0, 'accept-encoding')]).toEqual([
      'me/1',
      '*/*',
      'gzip, deflate, br',
    ])
  })

  it('are replaced by those in the request', async () => {
    await run('GET $O/text\nuser-agent: x\nACCEPT: text/plain\nAccept-Encoding: identity')
    expect(server.requests[0]?.headers.filter((header) => /^(user-agent|accept)/i.test(header))).toEqual([
      'user-agent: x',
      'ACCEPT: text/plain',
      'Accept-Encoding: identity',
    ])
  })

  it('include those of client.global.headers', async () => {
    await run(
      "GET $O/text\n\n> {% client.global.headers.set('X-Session', 's') %}\n###\nGET $O/1\n###\nGET $O/2\nX-Session: own",
    )
    expect([0, 1, 2].map((index) => field(index, 'x-session'))).toEqual([undefined, 's', 'own'])
  })
})

describe('redirects', () => {
  it.each([
    ['301 makes GET of POST', 'POST $O/301\n\nbody', 'GET /to', ''],
    ['303 makes GET of PUT, relative to its URL', 'PUT $O/303\n\nbody', 'GET /to?a=b', ''],
    ['307 keeps method and body', 'PUT $O/307\n\nbody', 'PUT /to', 'body'],
  ])('%s', async (_, text, line, body) => {
    const { events } = await run(text)
    expect(lines()[1]).toBe(line)
    expect(server.requests[1]?.body.toString()).toBe(body)
    expect(events.flatMap((event) => (event.type === 'request-sent' ? [event.sent.cause] : []))).toEqual([
      undefined,
      'redirect',
    ])
  })

  it('are not followed with @no-redirect', async () => {
    const { events } = await run('# @no-redirect\nGET $O/301')
    expect(lines()).toEqual(['GET /301'])
    expect(events.find(({ type }) => type === 'response')).toMatchObject({ response: { status: 301 } })
  })

  it('send no credentials to another origin', async () => {
    await run('GET $O/away\nAuthorization: Bearer secret\nCookie: a=b\nX: y')
    expect([field(0, 'authorization'), field(0, 'authorization', other), field(0, 'cookie', other)]).toEqual([
      'Bearer secret',
      undefined,
      undefined,
    ])
    expect(field(0, 'x', other)).toBe('y')
  })

  it('in a loop are an error of the request', async () => {
    const { errors } = await run('GET $O/round\n###\nGET $O/text')
    expect(errors).toEqual([expect.stringContaining('redirect-loop')])
    expect(lines().at(-1)).toBe('GET /text')
  })
})

describe('cookies', () => {
  it('are sent with later requests and after redirects', async () => {
    await run('GET $O/login\n###\nGET $O/x\n###\nGET $O/y')
    expect(lines()).toEqual(['GET /login', 'GET /login-done', 'GET /x', 'GET /y'])
    expect([0, 1, 2, 3].map((index) => field(index, 'cookie'))).toEqual([undefined, 'a=1', 'b=2; a=1', 'a=1'])
  })

  it('precede those in the file, and do not repeat them', async () => {
    await run('GET $O/login\n###\nGET $O/x\nCookie: a=own; c=3')
    expect(field(2, 'cookie')).toBe('b=2; a=own; c=3')
  })

  it('are neither sent nor stored with @no-cookie-jar', async () => {
    await run('# @no-cookie-jar\nGET $O/login\n###\nGET $O/y\n###\nGET $O/login\n###\n# @no-cookie-jar\nGET $O/z')
    expect([2, 5].map((index) => [lines()[index], field(index, 'cookie')])).toEqual([
      ['GET /y', undefined],
      ['GET /z', undefined],
    ])
  })

  it('set by a redirect to itself do not count as a loop', async () => {
    const { errors } = await run('GET $O/gate')
    expect([errors, lines()]).toEqual([[], ['GET /gate', 'GET /gate']])
  })

  it('can be saved by the caller that passed them, and are not saved before', async () => {
    const path = join(temporaryDirectory(), 'jar')
    const cookies = RunCookies.read(path, '/', Date.now)
    await run('GET $O/login', { cookies })
    expect(existsSync(path)).toBe(false)
    await cookies.save()
    expect(readFileSync(path, 'utf8')).toContain('127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n')
  })

  it('can be saved even if the run is aborted or its listener throws', async () => {
    const directory = temporaryDirectory()
    const controller = new AbortController()
    const [aborted, thrown] = ['aborted', 'thrown'].map((name) => RunCookies.read(name, directory, Date.now))
    await run('GET $O/login\n###\nGET $O/slow', {
      cookies: aborted as RunCookies,
      wire: { signal: controller.signal },
      listener: (event) => {
        if (event.type === 'request-sent' && event.sent.url.endsWith('/slow')) controller.abort()
      },
    })
    const failing = run('GET $O/login', {
      cookies: thrown as RunCookies,
      listener: (event) => {
        if (event.type === 'response-done') throw new Error('full')
      },
    })
    await expect(failing).rejects.toThrow('full')
    await Promise.all([aborted?.save(), thrown?.save()])
    expect(readFileSync(join(directory, 'aborted'), 'utf8')).toContain('\ta\t1\n')
    expect(readFileSync(join(directory, 'thrown'), 'utf8')).toContain('\ta\t1\n')
  })

  it('of a response are visible to scripts', async () => {
    const { results } = await run(
      '# @no-redirect\nGET $O/login\n\n> {% client.log(response.cookiesByName("b")[0].path, response.cookies().length) %}',
    )
    expect(results).toEqual(['log /x 2'])
  })
})

describe('Authorization: Digest user password', () => {
  const text = 'GET $O/digest\nAuthorization: Digest ada love lace'

  it('answers the challenge of the server', async () => {
    const { events } = await run(text)
    expect(lines()).toEqual(['GET /digest', 'GET /digest'])
    expect(field(0, 'authorization')).toBeUndefined()
    expect(events.flatMap((event) => (event.type === 'response' ? [event.response.status] : []))).toEqual([200])
    expect(events.flatMap((event) => (event.type === 'request-sent' ? [event.sent.cause] : []))).toEqual([
      undefined,
      'challenge',
    ])
  })

  it('sends the body only with the credentials', async () => {
    const { results } = await run(
      'POST $O/digest\nAuthorization: Digest ada love lace\n\nbody\n\n> {% client.log(response.body) %}',
    )
    expect(results).toEqual(['log welcome 00000001 body'])
    expect(field(0, 'content-length')).toBe('0')
  })

  it('answers at once in later requests, with an increasing count', async () => {
    const { results } = await run(`${text}\n\n###\n${text}\n\n> {% client.log(response.body) %}`)
    expect(lines()).toHaveLength(3)
    expect(results).toEqual(['log welcome 00000002 '])
  })

  it('answers again when the nonce is stale', async () => {
    const { summary } = await run(`${text}\n###\n${text}\n\n> {% client.assert(response.status === 200) %}`, {
      listener: (event) => {
        if (event.type === 'response-done') nonce = 'n2'
      },
    })
    nonce = 'n1'
    expect(summary).toMatchObject({ answered: 2, scriptsFailed: 0 })
    expect(lines()).toHaveLength(4)
  })

  it('gives up on a wrong password after one attempt', async () => {
    const { events } = await run('GET $O/digest\nAuthorization: Digest ada wrong')
    expect(lines()).toHaveLength(2)
    expect(events.find(({ type }) => type === 'response')).toMatchObject({ response: { status: 401 } })
    expect(events.filter(({ type }) => type === 'warning')).toEqual([])
  })

  it('warns about a challenge that it cannot answer', async () => {
    const { events } = await run('GET $O/bearer\nAuthorization: Digest ada wrong')
    const warning = `the Digest credentials for ${server.origin} were not sent: the server offers bearer; not Digest`
    expect(events.flatMap((event) => (event.type === 'warning' ? [event.error.message] : []))).toEqual([warning])
  })
})

describe('time limits', () => {
  it.each([
    ['before the first byte', '/slow', 'first-byte-timeout'],
    ['within the body', '/stalls', 'idle-timeout'],
  ])('@timeout applies %s', async (_, path, code) => {
    const { errors } = await run(`# @timeout 50 ms\nGET $O${path}\n###\nGET $O/text`)
    expect(errors).toEqual([expect.stringContaining(code)])
    expect(lines().at(-1)).toBe('GET /text')
  })
})

describe('the response in a file', () => {
  const saved = async (text: string, settings: Parameters<typeof runText>[1] = {}) => {
    const found: Record<string, string> = {}
    const { errors, events } = await run(text, {
      ...settings,
      inspect: (directory) => {
        for (const name of readdirSync(directory)) {
          if (!/^(\.git|test\.http)$/.test(name) && !name.includes('dir'))
            found[name] = readFileSync(join(directory, name), 'utf8')
        }
        if (existsSync(join(directory, 'dir/a'))) found['dir/a'] = readFileSync(join(directory, 'dir/a'), 'utf8')
      },
    })
    return { found, errors, savedEvents: events.filter(({ type }) => type === 'response-saved').length }
  }

  it.each<[string, string, Record<string, string>, Record<string, string>]>([
    ['is the body', 'GET $O/text\n\n>> a.txt', {}, { 'a.txt': 'text' }],
    ['has its content coding decoded', 'GET $O/gzip\n\n>> a.txt', {}, { 'a.txt': 'unpacked' }],
    ['is empty without a body', 'GET $O/none\n\n>> a.txt', {}, { 'a.txt': '' }],
    [
      'never replaces one with >>',
      'GET $O/text\n\n>> a.txt',
      { 'a.txt': 'old' },
      { 'a.txt': 'old', 'a-1.txt': 'text' },
    ],
    [
      'gets the next free number',
      'GET $O/text\n\n>> a.b.txt',
      { 'a.b.txt': 'old', 'a.b-1.txt': 'old' },
      { 'a.b.txt': 'old', 'a.b-1.txt': 'old', 'a.b-2.txt': 'text' },
    ],
    ['gets a number without an extension, too', 'GET $O/text\n\n>> a', { a: 'old' }, { a: 'old', 'a-1': 'text' }],
    ['replaces one with >>!', 'GET $O/text\n\n>>! a.txt', { 'a.txt': 'old' }, { 'a.txt': 'text' }],
    ['goes into a new directory', 'GET $O/text\n\n>> dir/a', {}, { 'dir/a': 'text' }],
    ['is named by variables', '@name = x\nGET $O/text\n\n>> {{name}}.txt', {}, { 'x.txt': 'text' }],
  ])('%s', async (_, text, files, expected) => {
    const { found, errors, savedEvents } = await saved(text, { files })
    expect([errors, found, savedEvents]).toEqual([[], expected, 1])
  })

  it('is not created if the response was truncated, and an old one is kept', async () => {
    const { found, errors } = await saved('GET $O/cut\n\n>>! a.txt', { files: { 'a.txt': 'old' } })
    expect([found, errors]).toEqual([{ 'a.txt': 'old' }, [expect.stringContaining('connection-cut-short')]])
  })

  it('of <> is not written', async () => {
    expect((await saved('GET $O/text\n\n<> old.json')).found).toEqual({})
  })

  it('of the first <> has the whole response with the option', async () => {
    const { found } = await saved('GET $O/text\n\n<> new.txt\n<> older.txt', { shouldSaveResponses: true })
    expect(Object.keys(found)).toEqual(['new.txt'])
    expect(found['new.txt']).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n(.+\r\n)+\r\ntext$/)
  })
})

describe('how a run ends', () => {
  it('continues after a failure', async () => {
    await run('GET $O/{{x}}\n###\nGET $O/text')
    expect(lines()).toEqual(['GET /text'])
  })

  it.each([
    ['a request', 'GET $O/{{x}}'],
    ['a test', "GET $O/1\n\n> {% client.test('t', () => client.assert(false)) %}"],
    ['a script', 'GET $O/1\n\n> {% throw 1 %}'],
    ['a script before the request', '< {% throw 1 %}\nGET $O/1'],
    ['a call of what is not there', 'run #nothing'],
  ])('stops at the first failure with the option: %s', async (_, text) => {
    await run(`${text}\n###\nGET $O/later`, { isFailFast: true })
    expect(lines()).not.toContain('GET /later')
  })

  it('counts a status of 400 or more with the option', async () => {
    expect((await run('GET $O/404', { shouldFailOnStatus: true })).summary).toMatchObject({
      answered: 1,
      badStatuses: 1,
    })
    expect((await run('GET $O/404')).summary).toMatchObject({ answered: 1, badStatuses: 0 })
  })

  it('counts a request once: an unreadable response does not count as answered', async () => {
    const webSocketOrigin = server.origin.replace('http:', 'ws:')
    const { summary } = await run(`WEBSOCKET ${webSocketOrigin}/text\n\nhi\n###\nGET $O/text\n\n>> taken/out.txt`, {
      files: { taken: 'a file' },
    })
    expect(summary).toMatchObject({ requests: 2, answered: 0, failed: 2 })
  })

  it('does not send a request whose script before it fails', async () => {
    const { summary, results } = await run('< {% throw 1 %}\nGET $O/1\n###\nGET $O/2')
    expect([lines(), summary.blocked, results.length]).toEqual([['GET /2'], 1, 1])
  })

  it('does not send a request whose handler is missing', async () => {
    const { errors } = await run('GET $O/1\n\n> none.js\n###\nGET $O/2')
    expect([lines(), errors]).toEqual([['GET /2'], [expect.stringContaining('unreadable-file')]])
  })
})

describe('iterations', () => {
  it('are separate requests, reported one after the other', async () => {
    const { events, summary } = await run('< {% request.variables.set("id", [1, 2, 3]) %}\nGET $O/{{id}}')
    expect(lines()).toEqual(['GET /1', 'GET /2', 'GET /3'])
    expect(summary).toMatchObject({ requests: 3, answered: 3 })
    const reported = events.flatMap((event) =>
      event.type === 'request-started' || event.type === 'request-finished'
        ? [`${event.type} ${event.request.number}.${event.request.iteration}`]
        : [],
    )
    expect(reported).toEqual(
      [1, 2, 3].flatMap((number) => [
        `request-started ${number}.${number - 1}`,
        `request-finished ${number}.${number - 1}`,
      ]),
    )
  })

  it('continue after one that fails', async () => {
    await run('< {% request.variables.set("path", ["cut", "text"]) %}\nGET $O/{{path}}')
    expect(lines()).toEqual(['GET /cut', 'GET /text'])
  })
})

it('one connection serves all requests of a run', async () => {
  const sockets = new Set<unknown>()
  const counting = await recordingServer({
    '/a': (request, response) => {
      sockets.add(request.socket)
      response.end('a')
    },
  })
  await runText(`GET ${counting.origin}/a\n###\nPOST ${counting.origin}/a\n\nx\n###\nGET ${counting.origin}/a`)
  await counting.close()
  expect(sockets.size).toBe(1)
})

it('other protocols in a file are an error of that request', async () => {
  const { errors } = await run('RSOCKET localhost:1/a\n###\nGET $O/text')
  expect(errors).toEqual([expect.stringContaining('not-supported')])
  expect(lines()).toEqual(['GET /text'])
})
