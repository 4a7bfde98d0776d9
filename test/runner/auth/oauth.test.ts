/** Tokens by OAuth 2, as a server of tokens and a protected one see it. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RunEvent, SignIn } from '../../../src/runner/index.ts'
import { fixedProxy } from '../../../src/wire/index.ts'
import { type RecordingServer, recordingServer, runText } from '../running.ts'

let server: RecordingServer
let answers: (Record<string, unknown> | [status: number, body: Record<string, unknown>])[] = []
let deviceAnswer: Record<string, unknown> = {}

const json = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

beforeAll(async () => {
  server = await recordingServer({
    '/token': (_request: IncomingMessage, response: ServerResponse) => {
      const next = answers.length > 1 ? answers.shift() : answers[0]
      if (Array.isArray(next)) json(response, ...next)
      else json(response, 200, next)
    },
    '/device': (_request, response) => json(response, 200, deviceAnswer),
    '/form': (_request, response) => response.end('access_token=from-a-form&token_type=bearer'),
  })
})
beforeEach(() => {
  server.requests.length = 0
  answers = [{ access_token: 'secret-token', token_type: 'bearer', expires_in: 3600 }]
})
afterAll(() => server.close())

type Settings = Record<string, unknown>

/** A clock that advances by a minute with each answer. */
function leapingClock() {
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    sources: { now: () => nowMs, randomBytes: (count: number) => new Uint8Array(count) },
    listener: (event: RunEvent) => {
      if (event.type === 'response-done') nowMs += 60_000
    },
  }
}

/** Runs requests with the authorization `a`. */
function withAuth(settings: Settings, text = 'GET $O/x\nAuthorization: Bearer {{$auth.token("a")}}', options = {}) {
  const security = { Auth: { a: { Type: 'OAuth2', 'Token URL': '$O/token', 'Client ID': 'me', ...settings } } }
  const environment = JSON.stringify({ dev: { hidden: 'from-a-variable', empty: '', Security: security } })
  return runText(text.replaceAll('$O', server.origin), {
    environmentName: 'dev',
    files: { 'http-client.env.json': environment.replaceAll('$O', server.origin) },
    ...options,
  })
}

const requestsTo = (path: string) => server.requests.filter(({ line }) => line.split(' ')[1]?.split('?')[0] === path)
const form = (index = 0, path = '/token'): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(requestsTo(path)[index]?.body.toString()))
const authorization = (index = 0, path = '/x'): string | undefined =>
  requestsTo(path)
    [index]?.headers.find((header) => /^authorization:/i.test(header))
    ?.replace(/^.*?: /, '')

describe('Client Credentials', () => {
  const settings: Settings = { 'Grant Type': 'Client Credentials', 'Client Secret': 's:cret', Scope: 'read write' }

  it('gives a token for the request', async () => {
    const { errors } = await withAuth(settings)
    expect(errors).toEqual([])
    expect(authorization()).toBe('Bearer secret-token')
    expect(form()).toEqual({ grant_type: 'client_credentials', scope: 'read write' })
    expect(authorization(0, '/token')).toBe(`Basic ${Buffer.from('me:s%3Acret').toString('base64')}`)
  })

  it.each<[string, Settings, Record<string, string>]>([
    ['in body', { 'Client Credentials': 'in body' }, { client_id: 'me', client_secret: 's:cret' }],
    ['an empty variable', { 'Client Credentials': 'in body', 'Client Secret': '{{empty}}' }, { client_id: 'me' }],
    ['none', { 'Client Credentials': 'none' }, { client_id: 'me' }],
  ])('identifies the client as the settings say: %s', async (_, place, expected) => {
    await withAuth({ ...settings, ...place })
    expect(form()).toEqual({ grant_type: 'client_credentials', scope: 'read write', ...expected })
    expect(authorization(0, '/token')).toBeUndefined()
  })

  it('fetches a token once for all requests', async () => {
    await withAuth(settings, Array(3).fill('GET $O/x\nAuthorization: Bearer {{$auth.token("a")}}\n').join('\n###\n'))
    expect([requestsTo('/token').length, requestsTo('/x').length]).toEqual([1, 3])
  })

  it('fetches another token after expiry', async () => {
    answers = [
      { access_token: '1', expires_in: 60 },
      { access_token: '2', expires_in: 60 },
    ]
    const request = 'GET $O/x\nAuthorization: Bearer {{$auth.token("a")}}\n'
    await withAuth(settings, `${request}\n###\n${request}`, leapingClock())
    expect([authorization(0), authorization(1)]).toEqual(['Bearer 1', 'Bearer 2'])
  })

  it('accepts variables in its settings, and custom parameters', async () => {
    await withAuth({
      ...settings,
      'Client Secret': '{{hidden}}',
      'Client Credentials': 'in body',
      'Custom Request Parameters': {
        audience: 'api',
        resource: ['one', 'two'],
        never: { Value: 'x', Use: 'In Auth Request' },
        here: { Value: 'y', Use: 'In Token Request' },
      },
    })
    expect(form()).toMatchObject({ client_secret: 'from-a-variable', audience: 'api', here: 'y' })
    expect(form()).not.toHaveProperty('never')
    expect(new URLSearchParams(requestsTo('/token')[0]?.body.toString()).getAll('resource')).toEqual(['one', 'two'])
  })

  it('returns the ID token if configured', async () => {
    answers = [{ access_token: 'access', id_token: 'identity' }]
    await withAuth({ ...settings, 'Use ID Token': true })
    await withAuth(settings, 'GET $O/x\nAuthorization: Bearer {{$auth.idToken("a")}}')
    expect([authorization(0), authorization(1)]).toEqual(['Bearer identity', 'Bearer identity'])
  })

  it('reads a form-encoded response', async () => {
    await withAuth({ ...settings, 'Token URL': '$O/form' })
    expect(authorization()).toBe('Bearer from-a-form')
  })

  it('uses the proxy of the run', async () => {
    const seen: string[] = []
    const proxy = createServer((socket) => {
      socket.once('data', (head) => {
        seen.push(head.toString('latin1').split('\r\n')[0] ?? '')
        const to = connect(Number(server.host.split(':')[1]), '127.0.0.1')
        to.write(head.toString('latin1').replace(server.origin, ''), 'latin1')
        socket.pipe(to).pipe(socket)
        for (const each of [socket, to]) each.on('error', () => undefined)
      })
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    onTestFinished(() => {
      proxy.close()
    })
    const { port } = proxy.address() as AddressInfo
    await withAuth(settings, undefined, { wire: { proxy: fixedProxy(`http://127.0.0.1:${port}`) } })
    expect(seen[0]).toBe(`POST ${server.origin}/token HTTP/1.1`)
    expect(server.requests.at(-1)?.headers).toContain('Authorization: Bearer secret-token')
  })
})

describe('Password', () => {
  it('sends user and password', async () => {
    await withAuth({ 'Grant Type': 'Password', Username: 'ada', Password: 'l&ve' })
    expect(form()).toEqual({ grant_type: 'password', username: 'ada', password: 'l&ve', client_id: 'me' })
  })

  it('renews with the refresh token, and starts again if the server rejects it', async () => {
    answers = [
      { access_token: '1', expires_in: 60, refresh_token: 'r1' },
      { access_token: '2', expires_in: 60 },
      [400, { error: 'invalid_grant' }],
      { access_token: '3' },
    ]
    const request = 'GET $O/x\nAuthorization: Bearer {{$auth.token("a")}}\n'
    await withAuth(
      { 'Grant Type': 'password', Username: 'u', Password: 'p' },
      Array(3).fill(request).join('\n###\n'),
      leapingClock(),
    )
    expect([0, 1, 2, 3].map((index) => form(index).grant_type)).toEqual([
      'password',
      'refresh_token',
      'refresh_token',
      'password',
    ])
    expect(form(2).refresh_token).toBe('r1')
    expect(authorization(2)).toBe('Bearer 3')
  })
})

describe('Device Authorization', () => {
  const settings: Settings = { 'Grant Type': 'Device Authorization', 'Device Auth URL': '$O/device', Scope: 's' }
  const begun = { device_code: 'dev', user_code: 'ABCD', verification_uri: 'https://id.test/device', interval: 0.01 }

  it('shows where to sign in, and asks until that is done', async () => {
    deviceAnswer = begun
    answers = [
      [400, { error: 'authorization_pending' }],
      [400, { error: 'authorization_pending' }],
      { access_token: 't' },
    ]
    const asked: SignIn[] = []
    const { errors } = await withAuth(settings, undefined, {
      askUser: async (signIn: SignIn) => void asked.push(signIn),
    })
    expect(errors).toEqual([])
    expect(asked).toEqual([{ url: 'https://id.test/device', code: 'ABCD' }])
    expect(form(0, '/device')).toEqual({ client_id: 'me', scope: 's' })
    expect(form(2)).toMatchObject({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'dev' })
    expect(authorization()).toBe('Bearer t')
  })

  it('ends with the error of the server', async () => {
    deviceAnswer = begun
    answers = [[400, { error: 'access_denied' }]]
    const { errors } = await withAuth(settings, undefined, { askUser: async () => undefined })
    expect(errors).toEqual([expect.stringContaining('access_denied')])
  })

  it.each([undefined, 0, -1, 'soon', 1e10])(
    'asks seldom, and until the code expires, with the interval %s',
    async (interval) => {
      deviceAnswer = { ...begun, interval, expires_in: 0.3 }
      answers = [[400, { error: 'authorization_pending' }]]
      const { errors } = await withAuth(settings, undefined, { askUser: async () => undefined })
      expect(errors).toEqual([expect.stringContaining('the user did not sign in')])
      expect(requestsTo('/token').length).toBeLessThan(4)
    },
  )

  it('ends with an abort', async () => {
    deviceAnswer = { ...begun, interval: 1000 }
    const controller = new AbortController()
    const { summary } = await withAuth(settings, undefined, {
      askUser: async () => setImmediate(() => controller.abort()),
      wire: { signal: controller.signal },
    })
    expect(summary.isInterrupted).toBe(true)
  })

  it('needs a terminal', async () => {
    deviceAnswer = begun
    expect((await withAuth(settings)).errors).toEqual([expect.stringContaining('needs a user to sign in')])
  })
})

describe('Authorization Code', () => {
  const settings: Settings = {
    'Grant Type': 'Authorization Code',
    'Auth URL': 'https://id.test/auth?tenant=t',
    Scope: 'a b',
  }

  /** A browser: goes where the page sends it. */
  const browser =
    (answer: (page: URL) => Record<string, string>, pages: URL[] = []) =>
    async ({ url }: SignIn): Promise<void> => {
      const page = new URL(url)
      pages.push(page)
      const back = new URL(page.searchParams.get('redirect_uri') ?? '')
      for (const [name, value] of Object.entries(answer(page))) back.searchParams.set(name, value)
      await fetch(back)
    }
  const withCode = (page: URL): Record<string, string> => ({
    code: 'c0de',
    state: page.searchParams.get('state') ?? '',
  })

  it('takes the code from the browser and changes it into a token, with PKCE', async () => {
    const pages: URL[] = []
    const { errors } = await withAuth({ ...settings, PKCE: true }, undefined, { askUser: browser(withCode, pages) })
    expect(errors).toEqual([])
    const query = Object.fromEntries(pages[0]?.searchParams ?? [])
    expect(query).toMatchObject({
      tenant: 't',
      response_type: 'code',
      client_id: 'me',
      scope: 'a b',
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    })
    const { code, code_verifier: verifier = '', redirect_uri: redirect, grant_type: grant } = form()
    expect([code, redirect, grant]).toEqual(['c0de', query.redirect_uri, 'authorization_code'])
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(query.code_challenge)
    expect(authorization()).toBe('Bearer secret-token')
  })

  it('listens at the redirect URL as written', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    taken.close()
    await once(taken, 'close')
    const redirect = `http://localhost:${port}/back`
    await withAuth({ ...settings, 'Redirect URL': redirect }, undefined, { askUser: browser(withCode) })
    expect(form().redirect_uri).toBe(redirect)
  })

  it('rejects an answer with a foreign state', async () => {
    const { errors } = await withAuth(settings, undefined, {
      askUser: async (signIn: SignIn) => {
        await browser(() => ({ code: 'evil', state: 'guessed' }))(signIn)
        await browser(withCode)(signIn)
      },
    })
    expect([errors, form().code]).toEqual([[], 'c0de'])
  })

  it('reports the error of a redirect without a code', async () => {
    const denied = (page: URL): Record<string, string> => ({ ...withCode(page), code: '', error: 'access_denied' })
    const { errors } = await withAuth(settings, undefined, {
      askUser: browser((page) => {
        const { code: _, ...others } = denied(page)
        return others
      }),
    })
    expect(errors).toEqual([expect.stringContaining('access_denied')])
  })

  it('ends after five minutes without a sign-in', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { errors } = await withAuth(settings, undefined, {
      askUser: async () => void vi.advanceTimersByTime(5 * 60_000),
    })
    expect(errors).toEqual([expect.stringContaining('the user did not sign in')])
    expect(requestsTo('/token')).toEqual([])
  })

  it('ends with an abort', async () => {
    const controller = new AbortController()
    const { summary } = await withAuth(settings, undefined, {
      askUser: async () => setImmediate(() => controller.abort()),
      wire: { signal: controller.signal },
    })
    expect(summary.isInterrupted).toBe(true)
  })
})

describe('a mistake is an error of the request:', () => {
  it.each<[string, Settings, RegExp]>([
    ['no grant type', {}, /has no "Grant Type"/],
    ['an unknown grant type', { 'Grant Type': 'Magic' }, /"Magic", expected "authorization code"/],
    ['an unknown type', { Type: 'Basic', 'Grant Type': 'Password' }, /"Basic", expected "OAuth2"/],
    ['no user name', { 'Grant Type': 'Password', Password: 'p' }, /has no "Username"/],
    [
      'an invalid URL',
      { 'Grant Type': 'Client Credentials', 'Token URL': 'x' },
      /"x", which is not an http or https URL/,
    ],
    ['Implicit', { 'Grant Type': 'Implicit' }, /not-supported .*Implicit/],
    [
      'a token that must not be fetched',
      { 'Grant Type': 'Client Credentials', 'Acquire Automatically': false },
      /"Acquire Automatically": false/,
    ],
  ])('%s', async (_, settings, message) => {
    const { errors } = await withAuth(settings)
    expect(errors).toEqual([expect.stringMatching(message)])
    expect(requestsTo('/x')).toEqual([])
  })

  it('a server that refuses, without showing the secret', async () => {
    answers = [[401, { error: 'invalid_client', error_description: 'no such client' }]]
    const { errors } = await withAuth({ 'Grant Type': 'Client Credentials', 'Client Secret': 'hush' })
    expect(errors).toEqual([expect.stringContaining('invalid_client: no such client')])
    expect(errors.join()).not.toContain('hush')
  })

  it('a missing authorization, listing the existing ones', async () => {
    const { errors } = await withAuth({}, 'GET $O/x\nA: {{$auth.token("b")}}')
    expect(errors).toEqual([expect.stringContaining('no authorization "b"')])
  })
})
