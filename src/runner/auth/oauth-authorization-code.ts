/**
 * The authorization code grant, with the user's browser and a listener on this machine (RFC 6749 section 4.1, RFC 7636,
 * RFC 8252 section 7.3).
 *
 * Rules: the URL to open is shown, not opened. The listener accepts connections from this machine only, on the port of
 * the redirect URL, or on any free port if it has none; an answer with another state is refused. The listener closes
 * after the first valid answer, when the run is aborted, or after five minutes: in a pipeline no user opens the URL.
 */
import { createHash } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { HttpDecoder, HttpResponse, StringBody } from '../../message/index.ts'
import { RunError } from '../base/errors.ts'
import { needsPerson, notSignedIn, type OAuthSettings, requiredUrl } from './oauth-settings.ts'
import type { TokenContext } from './token-context.ts'
import { customParameters, type Parameters } from './token-endpoint.ts'

const MAX_SIGN_IN_MS = 300_000

const loopbackHosts: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  '127.0.0.1': ['127.0.0.1'],
  '[::1]': ['::1'],
}

/** Returns the parameters of the token request. @throws HttpcliError `token-refused`, `invalid-auth`, `aborted`. */
export async function authorizationCode(
  settings: OAuthSettings,
  context: TokenContext,
): Promise<{ readonly parameters: Parameters }> {
  const { askUser, signal, sources } = context
  if (askUser === undefined) throw needsPerson(settings)
  const page = requiredUrl(settings.authUrl, 'Auth URL', settings)
  const secret = (): string => Buffer.from(sources.randomBytes(32)).toString('base64url')
  const custom = customParameters(settings.parameters, 'in auth request')
  const state = custom.find(([name]) => name === 'state')?.[1] ?? secret()
  const verifier = settings.hasPkce ? (settings.codeVerifier ?? secret()) : undefined
  const listener = await RedirectListener.open(settings)
  try {
    const parameters: Parameters = [
      ['response_type', 'code'],
      ['client_id', settings.clientId],
      ['redirect_uri', listener.redirectUrl],
      ...(settings.scope === undefined ? [] : ([['scope', settings.scope]] as const)),
      ['state', state],
      ...challengeOf(verifier, settings),
      ...custom.filter(([name]) => name !== 'state'),
    ]
    for (const [name, value] of parameters) page.searchParams.append(name, value)
    const answer = listener.answer(state, settings, signal)
    await Promise.race([askUser({ url: page.href, code: undefined }), answer])
    const code = codeOf(await answer, settings)
    return {
      parameters: [
        ['grant_type', 'authorization_code'],
        ['code', code],
        ['redirect_uri', listener.redirectUrl],
        ...(verifier === undefined ? [] : ([['code_verifier', verifier]] as const)),
      ],
    }
  } finally {
    listener.close()
  }
}

/** RFC 7636 section 4.2 and 4.3. */
function challengeOf(verifier: string | undefined, { pkceMethod }: OAuthSettings): Parameters {
  if (verifier === undefined) return []
  const challenge = pkceMethod === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return [
    ['code_challenge', challenge],
    ['code_challenge_method', pkceMethod],
  ]
}

function codeOf(answer: URLSearchParams, { id }: OAuthSettings): string {
  const code = answer.get('code')
  if (code !== null) return code
  const why = [answer.get('error'), answer.get('error_description')].filter((text) => text !== null).join(': ')
  throw new RunError('token-refused', `the sign-in for the authorization "${id}" ended without a code (${why})`)
}

/** A server that receives a single answer from a browser. */
class RedirectListener {
  readonly redirectUrl: string
  readonly #servers: readonly Server[]
  readonly #path: string
  readonly #sockets: Set<Socket> = new Set()
  #timer: NodeJS.Timeout | undefined

  private constructor(servers: readonly Server[], redirectUrl: string) {
    this.#servers = servers
    this.redirectUrl = redirectUrl
    this.#path = new URL(redirectUrl).pathname
  }

  /** @throws HttpcliError `invalid-auth`; errors of the system if the port is in use. */
  static async open(settings: OAuthSettings): Promise<RedirectListener> {
    const configured = settings.redirectUrl
    const url =
      configured === undefined ? new URL('http://127.0.0.1/') : requiredUrl(configured, 'Redirect URL', settings)
    const hosts = Object.hasOwn(loopbackHosts, url.hostname) ? loopbackHosts[url.hostname] : undefined
    if (hosts === undefined || url.protocol !== 'http:') {
      const message = `the authorization "${settings.id}" of the environment has "Redirect URL": "${configured}", which does not lead to this machine`
      throw new RunError('invalid-auth', message, {
        hint: 'Use http://localhost:<port>/, and register it with the server',
      })
    }
    const [first = '127.0.0.1', ...others] = hosts
    const wanted = configured === undefined ? 0 : Number(url.port || 80)
    const server = await listen(first, wanted)
    const port = (server.address() as { readonly port: number }).port
    const servers = [server]
    for (const host of others) {
      // A machine without IPv6 lacks this address.
      const other = await listen(host, port).catch(() => undefined)
      if (other !== undefined) servers.push(other)
    }
    // The authorization server compares the registered URL as text.
    const redirectUrl = configured ?? `http://127.0.0.1:${port}/`
    return new RedirectListener(servers, redirectUrl)
  }

  /** The query of the first request with this state. */
  answer(state: string, settings: OAuthSettings, signal: AbortSignal | undefined): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      this.#timer = setTimeout(() => reject(notSignedIn(settings)), MAX_SIGN_IN_MS)
      const abort = (): void => reject(new RunError('aborted', 'the sign-in was aborted'))
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted === true) abort()
      for (const server of this.#servers) {
        server.on('connection', (socket) => this.#serve(socket, state, resolve))
      }
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const server of this.#servers) server.close()
    for (const socket of this.#sockets) if (!socket.writableEnded) socket.destroy()
  }

  #serve(socket: Socket, state: string, resolve: (query: URLSearchParams) => void): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const decoder = new HttpDecoder('server')
    socket.on('data', (bytes) => {
      try {
        for (const event of decoder.push(bytes)) {
          if (event.type !== 'request') continue
          const url = new URL(event.head.target, 'http://localhost')
          const isRight = url.pathname === this.#path && url.searchParams.get('state') === state
          respond(socket, isRight ? 200 : 404, isRight ? DONE : 'Not found.')
          if (isRight) resolve(url.searchParams)
          return
        }
      } catch {
        respond(socket, 400, 'This is not an HTTP request.')
      }
    })
  }
}

const DONE = 'Thank you. You can close this window and go back to the command line.'

function respond(socket: Socket, status: number, text: string): void {
  const response = new HttpResponse({
    status,
    headers: [['Connection', 'close']],
    body: new StringBody(`${text}\n`, 'text/plain; charset=utf-8'),
  })
  void Promise.resolve(response.eagerly()).then(({ bytes }) => socket.end(bytes))
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
