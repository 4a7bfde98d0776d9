/**
 * Executes a GRPC request: finds its types, sends its messages, receives the server's.
 *
 * Rules: the types come from the files that the request names, otherwise from the server's reflection, which is queried
 * once per run. If a method answers with one message, the response contains that message, or the status if it is not OK.
 * If it answers with a stream, each message is an event, and the response follows. A call that exceeds its deadline
 * counts as not answered, whichever side notices first.
 */
import type { HttpRequest } from '../../message/index.ts'
import { type Exchange, WireError } from '../../wire/index.ts'
import { RunError } from '../base/errors.ts'
import { callRequest, isGrpc, notGrpc, receivedMessages } from '../grpc/call.ts'
import type { GrpcMethod, GrpcTypeCache, GrpcTypes } from '../grpc/method.ts'
import { reflectionOf } from '../grpc/server-reflection.ts'
import { DEADLINE_EXCEEDED, type GrpcStatus, grpcStatus, OK, statusText } from '../grpc/status.ts'
import { type GrpcRequest, NAMED_TYPES } from '../request/grpc-request.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { ScriptVerdict } from '../scripting/operations/script-scene.ts'
import { grpcAnswer } from './grpc-answer.ts'
import { GrpcSender } from './grpc-sender.ts'
import { GrpcTalk } from './grpc-talk.ts'
import type { HttpClient, RequestWatcher } from './http-client.ts'
import { type Reception, receiveResponse } from './response-receiver.ts'

export interface GrpcCall {
  readonly prepared: PreparedRequest
  readonly httpClient: HttpClient
  readonly watcher: RequestWatcher
  readonly reception: Reception
  readonly grpcTypes: GrpcTypeCache
}

/** The default time limit for an answer. */
const DEFAULT_ANSWER_MS = 30_000

/** @throws WireError; HttpcliError `invalid-request` with the place, `grpc-types`, `grpc-refused`, `grpc-message`. */
export async function callGrpc(message: HttpRequest, call: GrpcRequest, tools: GrpcCall): Promise<ScriptVerdict> {
  const { httpClient, prepared, reception } = tools
  const method = await methodOf(message, call, tools)
  const limitMs = prepared.timeouts.firstByteMs ?? httpClient.answerMs ?? DEFAULT_ANSWER_MS
  const sender = new GrpcSender(call, method, {
    coding: /^gzip$/i.test(message.headers.first('grpc-encoding') ?? '') ? 'gzip' : undefined,
    limitMs,
    keepsOpen: method.receivesStream && reception.scripts.hasHandlers,
    onMessage: (data) => reception.emit({ type: 'message', request: reception.request, direction: 'sent', data }),
  })
  const url = (message.url as URL).href
  const sent = callRequest(url, message.headers.without('content-length'), () => sender.frames())
  const deadline = new CallDeadline(call, (message.url as URL).host)
  let result: Exchange | undefined
  try {
    result = await httpClient.send(sent, prepared, watcherOf(tools.watcher, message, sender.onlyMessage))
    deadline.watch(result)
    return await answered(result, method, sender, reception, deadline)
  } catch (error) {
    throw deadline.restated(error)
  } finally {
    deadline.clear()
    sender.end()
    result?.close()
    await result?.closed
  }
}

async function answered(
  result: Exchange,
  method: GrpcMethod,
  sender: GrpcSender,
  reception: Reception,
  deadline: CallDeadline,
): Promise<ScriptVerdict> {
  if (!isGrpc(result)) {
    if ((await receiveResponse(result, reception)) === 'aborted') return 'aborted'
    throw notGrpc(result)
  }
  if (method.receivesStream) {
    const talk = new GrpcTalk(result, method, sender, reception)
    return talk.run((trailers) => deadline.check(statusOf(result, trailers)))
  }
  const { message, trailers } = await onlyAnswer(result)
  const status = deadline.check(statusOf(result, trailers))
  const content = status.code === OK ? decoded(message, method, result) : method.statusJson(status)
  return receiveResponse(grpcAnswer(result, trailers, status, content), reception)
}

/** @throws HttpcliError `grpc-message` */
function decoded(message: Uint8Array | undefined, method: GrpcMethod, result: Exchange): string {
  if (message !== undefined) return method.decoded(message)
  throw new RunError('grpc-message', `${placeOf(result)} sent the status OK, but no message`)
}

async function methodOf(message: HttpRequest, call: GrpcRequest, tools: GrpcCall): Promise<GrpcMethod> {
  const place = (message.url as URL).host
  try {
    const types = call.types ?? (await reflectedTypes(message, call, tools))
    return types.method(call.name, call.types === undefined ? place : NAMED_TYPES)
  } catch (error) {
    throw call.placed(error)
  }
}

/** The types of the server, which is queried once for each service. */
function reflectedTypes(
  message: HttpRequest,
  { name: { service } }: GrpcRequest,
  { httpClient, prepared, grpcTypes }: GrpcCall,
): Promise<GrpcTypes> {
  const { origin } = message.url as URL
  const key = JSON.stringify([origin, service])
  const known = grpcTypes.get(key)
  if (known !== undefined) return known
  // An error of the reflection service may repeat the request.
  httpClient.collectSent(message)
  const fields = message.headers.without('content-length', 'grpc-encoding')
  const reflection = reflectionOf(origin, fields, () => httpClient.wireOptions(message.url as URL, prepared))
  const types = reflection.typesOf(service)
  grpcTypes.set(key, types)
  // A failure is not cached: the server may answer the next request.
  types.catch(() => grpcTypes.delete(key))
  return types
}

/** The message, if there is one, and the trailers. @throws HttpcliError `grpc-message` for a second message */
async function onlyAnswer(
  result: Exchange,
): Promise<{ readonly message: Uint8Array | undefined; readonly trailers: Exchange['response']['headers'] }> {
  const received = receivedMessages(result)
  let message: Uint8Array | undefined
  for (;;) {
    const { value, done } = await received.next()
    if (done === true) return { message, trailers: value }
    if (message !== undefined) {
      throw new RunError('grpc-message', `${placeOf(result)} sent more than the one message that the method allows`)
    }
    message = value
  }
}

/** @throws HttpcliError `grpc-message` */
function statusOf(result: Exchange, trailers: Exchange['response']['headers']): GrpcStatus {
  const status = grpcStatus(trailers)
  if (status !== undefined) return status
  throw new RunError('grpc-message', `the answer of ${placeOf(result)} has no grpc-status in its trailers`, {
    hint: 'Check whether a proxy in between supports trailers of HTTP/2.',
  })
}

function placeOf({ request }: Exchange): string {
  return (request.url as URL).host
}

/** A single message is shown as JSON in place of its bytes; of several messages, each is an event. */
function watcherOf(watcher: RequestWatcher, { headers }: HttpRequest, only: string | undefined): RequestWatcher {
  let isHead = true
  return {
    ...watcher,
    onSent: (sent) => watcher.onSent({ ...sent, headers: headers.without('content-length') }),
    onUnsent: (sent) => watcher.onUnsent({ ...sent, headers: headers.without('content-length') }),
    onOctets: async (bytes) => {
      if (!isHead) return
      isHead = false
      await watcher.onOctets(bytes)
      if (only !== undefined) await watcher.onOctets(Buffer.from(only, 'utf8'))
    },
  }
}

/** Ends a call that takes longer than `# @timeout`. */
class CallDeadline {
  readonly #deadlineMs: number
  readonly #place: string
  readonly #startedMs = performance.now()
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor({ deadlineMs = 0 }: GrpcRequest, place: string) {
    this.#deadlineMs = deadlineMs
    this.#place = place
  }

  /** Until the head of the answer arrives, the limit of the exchange applies. */
  watch(result: Exchange): void {
    if (this.#deadlineMs === 0) return
    const end = (): void => {
      this.#isOver = true
      result.close()
    }
    this.#timer = setTimeout(end, Math.max(0, this.#deadlineMs - (performance.now() - this.#startedMs)))
  }

  clear(): void {
    clearTimeout(this.#timer)
  }

  /** @throws WireError `first-byte-timeout` if the status says that the server noticed the deadline first */
  check(status: GrpcStatus): GrpcStatus {
    if (this.#deadlineMs > 0 && status.code === DEADLINE_EXCEEDED) throw this.#error(statusText(status))
    return status
  }

  /** The error to report instead of the error caused by ending the call. */
  restated(error: unknown): unknown {
    if (this.#deadlineMs === 0 || !(error instanceof WireError)) return error
    return this.#isOver || error.code === 'first-byte-timeout' || error.code === 'idle-timeout' ? this.#error() : error
  }

  #error(detail = ''): WireError {
    const message = `${this.#place} did not finish the call within ${this.#deadlineMs / 1000} s (@timeout)`
    return new WireError('first-byte-timeout', detail === '' ? message : `${message}: it sent ${detail}`, {
      hint: 'Check the server, or allow more time',
    })
  }
}
