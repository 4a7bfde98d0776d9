/**
 * Forwards requests to backends, for every kind of connection.
 *
 * Rules: a request that the server preset would repair is refused before connecting, because a backend may read it
 * differently. A request that has already passed through this server is refused (508). A repeated failure of a backend
 * is reported once, until the backend answers again or fails for another reason. RFC 9110 sections 7.6.3 and 15.6.
 */

import { type HttpcliError, type HttpRequest, RestatedError } from '../../message/index.ts'
import { ServerError } from '../semantics/errors.ts'
import type { BackendClient, BackendExchange } from './backend-client.ts'
import { BackendFailure, unusableResponse } from './backend-failure.ts'
import { asksForWebSocket, backendRequest, type GatewaySettings, type ReceivedRequest } from './backend-request.ts'
import type { BackendRoute } from './backend-routes.ts'
import type { Backend } from './backend-setting.ts'

export interface ForwarderSettings extends GatewaySettings {
  readonly client: BackendClient
  /** Receives errors of a backend. */
  readonly onFailure: (error: HttpcliError) => void
}

/** A request to forward. Its connection waits for the response. */
export interface ForwardCall extends ReceivedRequest {
  readonly signal: AbortSignal
  readonly onInformational: Parameters<BackendClient['send']>[1]['onInformational']
}

export class Forwarder {
  readonly #settings: ForwarderSettings
  /** For each backend whose last request failed: the reason. */
  readonly #failures = new Map<Backend, string>()

  constructor(settings: ForwarderSettings) {
    this.#settings = settings
  }

  /**
   * Sends the request. Resolves when the head of the final response has arrived; the caller must read its body or close
   * the exchange.
   * @throws BackendFailure
   */
  async forward(call: ForwardCall, route: BackendRoute): Promise<BackendExchange> {
    const { client } = this.#settings
    const { signal, onInformational } = call
    let exchange: BackendExchange | undefined
    try {
      const request = this.#outgoing(call, route)
      exchange = await client.send(request, { unixSocket: route.backend.unixSocket, signal, onInformational })
      checkResponse(exchange, call)
      this.#failures.delete(route.backend)
      return exchange
    } catch (error) {
      exchange?.close()
      throw this.failure(error, route, signal)
    }
  }

  /** The answer to the client after an error. A backend's error is reported. */
  failure(error: unknown, { backend }: BackendRoute, signal: AbortSignal): BackendFailure {
    const failure = error instanceof BackendFailure ? error : new BackendFailure(error)
    const { code, message, isOfClient } = failure
    if (isOfClient || signal.aborted || this.#failures.get(backend) === code) return failure
    this.#failures.set(backend, code)
    this.#settings.onFailure(
      new RestatedError(failure, `the backend of ${backend.prefix}: ${message}`, { cause: error }),
    )
    return failure
  }

  #outgoing(call: ForwardCall, route: BackendRoute): HttpRequest<'stream'> {
    const { head } = call
    const [repair] = head.repairs
    if (repair !== undefined) throw unforwardable(`it would have to be repaired (${repair.code})`)
    if (route.isAmbiguous) throw unforwardable('its path has a segment that can be read as ".."')
    if (head.headers.list('via').some((hop) => hop.endsWith(` ${this.#settings.viaName}`))) {
      throw new ServerError('loop', 'it is this server itself')
    }
    try {
      return backendRequest(call, route, this.#settings)
    } catch (error) {
      throw unforwardable((error as Error).message)
    }
  }
}

/** For a request that cannot be forwarded to any backend. */
export function unforwardable(fault: string): HttpcliError {
  return new ServerError('request-unforwardable', `the request cannot be forwarded: ${fault}`)
}

function checkResponse({ response, tunnel }: BackendExchange, call: ForwardCall): void {
  // Not HTTP: the greeting of another protocol, such as SMTP, may begin with three digits.
  if (response.repairs.some(({ code }) => code === 'missing-version')) throw unusableResponse('without an HTTP version')
  if (response.status === 101 && (tunnel === undefined || !asksForWebSocket(call))) {
    throw unusableResponse('101 (Switching Protocols), which the request did not ask for')
  }
  // RFC 9110 section 15.2.2: it names the protocol that the connection has switched to.
  if (response.status === 101 && !/^websocket$/i.test(response.headers.list('upgrade').join())) {
    throw unusableResponse('101 (Switching Protocols) without "Upgrade: websocket"')
  }
  const coding = response.headers.list('transfer-encoding').find((name) => !removableCodings.has(name.toLowerCase()))
  if (coding !== undefined)
    throw unusableResponse(`with the transfer coding ${JSON.stringify(coding)}, which it was not asked for`)
}

/** Transfer codings that can be removed (RFC 9112 section 7.2). Requests to a backend have no TE. */
const removableCodings: ReadonlySet<string> = new Set(['chunked', 'identity', 'gzip', 'x-gzip', 'deflate'])
