/**
 * Executes one iteration of a request: sends it, receives its response, runs its handlers.
 *
 * Rules: WebSocket and gRPC support are loaded on demand. The connection has been returned when this resolves.
 */
import type { RequestIdentity } from '../base/events.ts'
import type { GrpcTypeCache } from '../grpc/method.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { ScriptVerdict } from '../scripting/operations/script-scene.ts'
import type { HttpClient, RequestWatcher } from './http-client.ts'
import { type Reception, receiveResponse } from './response-receiver.ts'

/** Shared by all iterations of a request. */
export type RequestTools = Pick<Reception, 'scripts' | 'checks'>

export interface RequestExchange extends Omit<Reception, 'arrival'> {
  /** Milliseconds from an arbitrary fixed point. */
  readonly elapsedMs: () => number
  readonly httpClient: HttpClient
  readonly grpcTypes: GrpcTypeCache
  /** `client.global.headers` */
  readonly globalHeaders: Iterable<readonly [name: string, value: string]>
}

/** @throws the reason why the request was not sent or answered; errors of the listener. */
export async function executeRequest(round: RequestExchange): Promise<ScriptVerdict> {
  const { prepared, request, httpClient, globalHeaders, elapsedMs } = round
  for (const error of prepared.warnings) await round.emit({ type: 'warning', error })
  const message = httpClient.completed(prepared, globalHeaders)
  const startedMs = elapsedMs()
  const locations: string[] = []
  const watcher = watcherOf(prepared, request, round, (url) => locations.push(url))
  const reception = { ...round, arrival: () => ({ locations, headMs: elapsedMs() - startedMs }) }
  if (prepared.kind === 'websocket') {
    const { converseOverWebSocket } = await import('./websocket-exchange.ts')
    return converseOverWebSocket(message, httpClient, watcher, reception)
  }
  if (prepared.grpc !== undefined) {
    const { callGrpc } = await import('./grpc-exchange.ts')
    return callGrpc(message, prepared.grpc, { ...round, reception, watcher })
  }
  const result = await httpClient.send(message, prepared, watcher)
  let verdict: ScriptVerdict
  try {
    verdict = await receiveResponse(result, reception)
  } finally {
    result.close()
    await result.closed
  }
  const unsentReason = result.unsentReason()
  if (unsentReason?.code === 'request-not-accepted') await round.emit({ type: 'warning', error: unsentReason })
  else if (unsentReason !== undefined) throw unsentReason
  return verdict
}

function watcherOf(
  { isLogged }: PreparedRequest,
  request: RequestIdentity,
  { emit }: RequestExchange,
  onLocation: (url: string) => void,
): RequestWatcher {
  return {
    onSent: (sent) => emit({ type: 'request-sent', request, sent }),
    onUnsent: (sent) => emit({ type: 'request-unsent', request, sent }),
    onOctets: (bytes) => (isLogged ? emit({ type: 'request-octets', request, bytes }) : undefined),
    onHop: async ({ protocol, response, remote, statistics }) => {
      const { status, reason, headers } = response
      const head = { version: protocol, status, reason, headers }
      await emit({ type: 'hop-finished', request, response: head, remote, statistics: await statistics })
    },
    onRedirect: (status, { url }) => {
      onLocation(String(url))
      return emit({ type: 'redirected', request, status, url: String(url) })
    },
  }
}
