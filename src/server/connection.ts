/**
 * One client's connection: its requests in their order, each answered before the next is looked at.
 *
 * Rules: a request that cannot be read is answered by the status that its error names, and the connection closes; a
 * client that only connects or only leaves gets no answer. A body is read and thrown away before the answer, so that a
 * client that writes first and reads later is not left hanging; where that is not worth it the answer says that the
 * connection closes. What breaks inside one request is answered by 500 or cut, and reaches no other one.
 */
import type { Socket } from 'node:net'
import { HttpcliError, type RequestHead } from '../message/index.ts'
import type { AnsweredRequest } from './access-log.ts'
import { type Answer, busyAnswer, lookupAnswer, optionsAnswer, refusalAnswer, textAnswer } from './answer.ts'
import type { BufferBudget } from './file-transfer.ts'
import type { ServerLimits } from './limits.ts'
import type { Lookup } from './lookup.ts'
import { planRequest } from './plan.ts'
import { RequestReader, statusOfUnreadable } from './request-reader.ts'
import { respond } from './respond.ts'
import { isConnectionError, SocketStream } from './socket-stream.ts'

/** What all connections of a server share. */
export interface Service {
  readonly rootNames: readonly string[]
  readonly lookup: Lookup
  readonly limits: ServerLimits
  readonly budget: BufferBudget
  readonly now: () => number
  readonly onAnswer: (entry: AnsweredRequest) => void
  /** Told what is a defect of this program or of the machine, not of a client. */
  readonly onError: (error: unknown) => void
}

/** What is known of a request when it is answered: all of its head, or the line that could not be read. */
interface AnsweredHead {
  readonly line: string | undefined
  readonly isHead: boolean
  readonly version: string | undefined
  readonly keepAlive: boolean
  readonly startedMs: number
}

/** How often a file that changes while it is read is tried again. */
const maximumAttempts = 5

export class Connection {
  readonly #service: Service
  readonly #stream: SocketStream
  readonly #requests: RequestReader
  readonly #remoteAddress: string
  #isStopping = false
  #idleSinceMs: number

  constructor(socket: Socket, service: Service) {
    this.#service = service
    this.#stream = new SocketStream(socket, service.limits)
    this.#requests = new RequestReader(this.#stream, service.limits, service.now)
    this.#remoteAddress = socket.remoteAddress ?? '-'
    this.#idleSinceMs = service.now()
  }

  /** Since when nothing goes on here, in milliseconds since 1970; undefined while something does. */
  get idleSinceMs(): number | undefined {
    return this.#requests.isIdle ? this.#idleSinceMs : undefined
  }

  /** Answers requests until the connection ends. Never rejects. */
  async run(): Promise<void> {
    try {
      while ((await this.#serveNext()) && !this.#isStopping) this.#idleSinceMs = this.#service.now()
      await this.#stream.close()
    } catch (error) {
      if (!isExpected(error)) this.#service.onError(error)
      this.#stream.destroy()
    }
  }

  /** Answers by 503 without waiting for a request, and closes. For a server that is full. Never rejects. */
  async refuse(): Promise<void> {
    try {
      await this.#send(busyAnswer(), this.#unreadableHead())
      await this.#stream.close()
    } catch (error) {
      if (!isExpected(error)) this.#service.onError(error)
      this.#stream.destroy()
    }
  }

  /** Lets the running request finish and closes then; at once where there is none. */
  stop(): void {
    this.#isStopping = true
    if (this.#requests.isIdle) this.destroy()
  }

  /** Cuts whatever goes on. */
  destroy(): void {
    this.#stream.destroy()
  }

  /** Whether another request may follow. */
  async #serveNext(): Promise<boolean> {
    try {
      const head = await this.#requests.readHead()
      if (head === undefined) return false
      const keepAlive = await this.#exchange(head)
      this.#requests.finish()
      return keepAlive
    } catch (error) {
      const status = statusOfUnreadable(error)
      if (status === undefined) throw error
      const detail = error instanceof Error ? error.message : undefined
      await this.#send(textAnswer(status, detail), this.#unreadableHead())
      return false
    }
  }

  async #exchange(head: RequestHead): Promise<boolean> {
    const startedMs = this.#service.now()
    const isReusable = await this.#requests.discardBody(head)
    const answered: AnsweredHead = {
      line: requestLine(head),
      isHead: head.method === 'HEAD',
      version: head.version,
      keepAlive: isReusable && head.keepAlive && !this.#isStopping,
      startedMs,
    }
    for (let attempt = 1; attempt <= maximumAttempts; attempt++) {
      if ((await this.#send(this.#answer(head), answered)) === 'sent') return answered.keepAlive
    }
    await this.#send(busyAnswer(), answered)
    return answered.keepAlive
  }

  #answer(head: RequestHead): Answer {
    const plan = planRequest(head, this.#service.rootNames)
    if (plan.type === 'options') return optionsAnswer()
    if (plan.type === 'refused') return refusalAnswer(plan.status)
    try {
      const nowMs = this.#service.now()
      const found = this.#service.lookup.find(plan.path, head.get('accept'), nowMs)
      return lookupAnswer(found, (name) => head.get(name), plan.slashLocation, nowMs)
    } catch (error) {
      // A disk that fails for one file is this request's trouble only.
      this.#service.onError(error)
      return textAnswer(500)
    }
  }

  /** Sends and logs; what was cut off is logged with what went out of it. */
  async #send(answer: Answer, request: AnsweredHead): Promise<'sent' | 'changed'> {
    let bodyBytes = 0
    let outcome: 'sent' | 'changed' | 'cut' = 'cut'
    try {
      outcome = await respond(this.#stream, answer, {
        isHead: request.isHead,
        keepAlive: request.keepAlive,
        version: request.version,
        nowMs: this.#service.now(),
        budget: this.#service.budget,
        onSent: (bytes) => {
          bodyBytes += bytes
        },
      })
      return outcome
    } finally {
      if (outcome !== 'changed') {
        const answeredMs = this.#service.now()
        this.#service.onAnswer({
          remoteAddress: this.#remoteAddress,
          answeredAt: new Date(answeredMs),
          requestLine: request.line,
          status: answer.status,
          bodyBytes,
          durationMs: answeredMs - request.startedMs,
        })
      }
    }
  }

  /** What is known of a request that cannot be answered as it wants: its head may be there, and its body broken. */
  #unreadableHead(): AnsweredHead {
    const { head } = this.#requests
    return {
      line: head === undefined ? this.#requests.unreadableLine() : requestLine(head),
      isHead: head?.method === 'HEAD',
      version: head?.version,
      keepAlive: false,
      startedMs: this.#service.now(),
    }
  }
}

function requestLine({ method, target, version }: RequestHead): string {
  return `${method} ${target} ${version}`
}

/** What clients and editors of files do at any time. */
function isExpected(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof HttpcliError && error.code === 'file-changed')
}
