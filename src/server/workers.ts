/**
 * Several processes that serve one directory on one port (`--workers`).
 *
 * Rules: the first process serves nothing. It starts workers; each runs the same program with the same arguments and
 * shares the port (node:cluster). The server is ready when all workers are; if one cannot start, all end with its
 * error. A worker that dies is replaced, at most once a second. If its replacement cannot start, this is tried again,
 * with growing pauses, for as long as another worker serves; without one it is tried a few times, and then the server
 * has failed. Workers stop on request, after their running responses, and when the first process is gone. If any free
 * port is requested, the first process chooses it, so that it stays the same when all workers are replaced.
 */
import cluster, { type Worker } from 'node:cluster'
import { createServer } from 'node:net'
import { HttpcliError, type HttpcliErrorCode, RestatedError } from '../message/index.ts'
import { listen } from './listening.ts'
import { ServerError } from './semantics/errors.ts'
import type { RunningServer, ServeOptions } from './server.ts'

/** Messages from a worker to the first process. */
type Report =
  | { readonly type: 'ready'; readonly server: Omit<RunningServer, 'close'> }
  | {
      readonly type: 'failed'
      readonly code: HttpcliErrorCode
      readonly message: string
      readonly hint?: string
      errno?: string
    }

/** The message from the first process to a worker. */
const stopMessage = 'stop'

/** Environment variable of a worker: the port that the first process has chosen. */
const portVariable = 'HTTPCLI_WORKER_PORT'

/**
 * A worker that dies sooner is not replaced immediately, so that a fault at the start does not keep the machine busy.
 */
const shortestLifeMs = 1_000

/** The pause after the first replacement that could not start; doubled each time. */
const firstPauseMs = 500
const longestPauseMs = 30_000

/** The number of attempts to replace a worker while no other worker serves. */
const maximumLonelyAttempts = 4

/** A server whose workers may fail after its start. */
export interface WorkersServer extends RunningServer {
  /** Resolves when no worker serves, and none can be started. */
  readonly failed: Promise<HttpcliError>
}

/**
 * In the first process: starts `count` workers, which will listen on this host and port. Rejects with the error of a
 * failing worker, or HttpcliError `listen`.
 */
export async function startWorkers(
  count: number,
  { host = '127.0.0.1', port }: Pick<ServeOptions, 'host' | 'port'>,
  onReplaced: (text: string) => void,
): Promise<WorkersServer> {
  // Each worker accepts connections itself, so that they do not pass through the first process.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const environment = port === 0 ? { [portVariable]: String(await freePort(host)) } : {}
  const pool = new WorkerPool(onReplaced, environment)
  try {
    // The first worker starts alone, so that errors about the port or the directory are reported once.
    const server = await pool.start()
    await Promise.all(Array.from({ length: count - 1 }, () => pool.start()))
    return { ...server, failed: pool.failed, close: () => pool.close() }
  } catch (error) {
    await pool.close()
    throw error
  }
}

async function freePort(host: string): Promise<number> {
  const server = createServer()
  const { port } = await listen(server, { host, port: 0 })
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The interface of a worker process. */
export interface WorkerSide {
  /** Whether it is the first: for messages that should appear once. */
  readonly isFirst: boolean
  /** The port to listen on instead of any free port. */
  readonly port: number | undefined
  /** Aborted when the worker should stop. */
  readonly stopped: AbortSignal
  reportReady(server: RunningServer): void
  /** Resolves when the first process has received it. */
  reportFailure(error: HttpcliError): Promise<void>
  /** Disconnects from the first process, so that this one can end. */
  leave(): void
}

/** Undefined in a process that `startWorkers` did not start. */
export function workerSide(): WorkerSide | undefined {
  const { worker } = cluster
  if (worker === undefined) return undefined
  const stop = new AbortController()
  worker.on('message', (message: unknown) => {
    if (message === stopMessage) stop.abort()
  })
  const port = (worker.process as unknown as NodeJS.Process).env[portVariable]
  const send = (report: Report) => new Promise<void>((resolve) => worker.process.send?.(report, () => resolve()))
  return {
    isFirst: worker.id === 1,
    port: port === undefined ? undefined : Number(port),
    stopped: stop.signal,
    reportReady: ({ directory, host, port, url }) =>
      void send({ type: 'ready', server: { directory, host, port, url } }),
    reportFailure: ({ code, message, hint, cause }) => {
      const errno = (cause as NodeJS.ErrnoException | undefined)?.code
      return send({
        type: 'failed',
        code,
        message,
        ...(hint === undefined ? {} : { hint }),
        ...(errno === undefined ? {} : { errno }),
      })
    },
    leave: () => worker.disconnect(),
  }
}

class WorkerPool {
  readonly #onReplaced: (text: string) => void
  readonly #environment: Readonly<Record<string, string>>
  readonly #workers = new Set<Worker>()
  readonly #pauses = new Set<NodeJS.Timeout>()
  readonly failed: Promise<HttpcliError>
  #fail!: (error: HttpcliError) => void
  /** The number of workers that serve. */
  #readyCount = 0
  #isClosing = false

  /** `environment`: variables of the workers, in addition to those of this process. */
  constructor(onReplaced: (text: string) => void, environment: Readonly<Record<string, string>>) {
    this.#onReplaced = onReplaced
    this.#environment = environment
    this.failed = new Promise((resolve) => {
      this.#fail = resolve
    })
  }

  /** Resolves when the worker serves. */
  start(): Promise<Omit<RunningServer, 'close'>> {
    const startedMs = performance.now()
    let worker: Worker
    try {
      worker = cluster.fork(this.#environment)
    } catch (cause) {
      return Promise.reject(withoutProcess(cause as Error))
    }
    this.#workers.add(worker)
    return new Promise((resolve, reject) => {
      let isReady = false
      worker.on('message', (report: Report) => {
        if (report.type === 'failed') reject(new WorkerFailure(report))
        else {
          isReady = true
          this.#readyCount += 1
          resolve(report.server)
        }
      })
      worker.on('error', (cause: Error) => {
        // A worker that ends immediately does not receive the reply of node:cluster: its 'exit' event follows.
        if (worker.process.pid !== undefined) return
        this.#workers.delete(worker)
        reject(withoutProcess(cause))
      })
      worker.once('exit', (code, signal) => {
        const reason = signal ?? `exit code ${code}`
        const lifeMs = performance.now() - startedMs
        const end = () => {
          this.#workers.delete(worker)
          if (isReady) {
            this.#readyCount -= 1
            this.#replace(worker, reason, lifeMs)
          } else reject(new ServerError('worker', `a worker ended before it was ready (${reason})`))
        }
        // Its last message may not have been read yet.
        if (worker.isConnected()) worker.once('disconnect', end)
        else end()
      })
    })
  }

  /** Resolves when all workers have ended. */
  async close(): Promise<void> {
    this.#isClosing = true
    for (const pause of this.#pauses) clearTimeout(pause)
    await Promise.all(
      [...this.#workers].map((worker) => {
        // It may have ended without its last message being read.
        if (worker.isDead()) return undefined
        const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
        // A worker that has just ended gets no message: its 'exit' event will follow.
        if (worker.isConnected()) worker.send(stopMessage, () => undefined)
        return ended
      }),
    )
  }

  #replace(worker: Worker, reason: string, lifeMs: number): void {
    if (this.#isClosing) return
    this.#onReplaced(`worker ${worker.process.pid} ended (${reason}) and is replaced`)
    this.#startAfter(Math.max(0, shortestLifeMs - lifeMs), 1)
  }

  #startAfter(pauseMs: number, attempt: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      this.start().catch((error: HttpcliError) => {
        if (!this.#isClosing) this.#startAgain(error, attempt)
      })
    }, pauseMs)
    this.#pauses.add(pause)
  }

  #startAgain(error: HttpcliError, attempt: number): void {
    const { message, hint } = error
    if (this.#readyCount === 0 && attempt >= maximumLonelyAttempts) {
      this.#fail(new RestatedError(error, `no worker is left, and none can start: ${message}`, { cause: error, hint }))
      return
    }
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
    this.#onReplaced(`the worker was not replaced: ${message}; the next attempt is in ${pauseMs / 1000} s`)
    this.#startAfter(pauseMs, attempt + 1)
  }
}

function withoutProcess(cause: Error): HttpcliError {
  return new ServerError('worker', `no process could be created for a worker: ${cause.message}`, { cause })
}

/** The error that prevented another process from serving: any error of this package. */
class WorkerFailure extends HttpcliError {
  constructor({ code, message, hint, errno }: Extract<Report, { type: 'failed' }>) {
    const cause = errno === undefined ? undefined : Object.assign(new Error(message), { code: errno })
    super(code, message, { cause, hint })
  }
}
