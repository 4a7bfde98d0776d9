/**
 * The script engine in a thread of its own, which is ended when a script does not end by itself.
 *
 * Rules: the thread starts with `open`, so that it is ready when the first response is; it never keeps the process
 * alive. The engine stops a script at its time limit; where the script is in a step that the engine cannot leave, the
 * thread is ended a moment later and the next script gets a new one. One job at a time.
 */
import { Worker } from 'node:worker_threads'
import type { ScriptEngine, ScriptFailure, ScriptJob, ScriptOutcome } from './script-engine.ts'
import { limitText } from './script-limit-text.ts'
import type { ScriptThreadAnswer } from './script-thread.ts'

/** What the engine has over the limit before the thread is ended. */
const GRACE_MS = 250

/** Of the thread's own heap, besides the script's world: a response body on its way, in both its forms. */
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 160 } as const

/** A thread, and when it can take its first job. */
interface Thread {
  readonly worker: Worker
  /** Rejects where the engine cannot be loaded. */
  readonly ready: Promise<void>
}

/** Starts the thread. */
export async function openThreadedEngine(): Promise<ScriptEngine> {
  const { scriptThreadRole, scriptThreadUrl } = await import('./script-thread.ts')
  return new ThreadedEngine(() => {
    const worker = new Worker(scriptThreadUrl, { workerData: { role: scriptThreadRole }, resourceLimits })
    worker.unref()
    const ready = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the thread of the script engine ended before it was ready')))
    })
    // Its error is thrown where a script is to be run.
    ready.catch(() => undefined)
    return { worker, ready }
  })
}

class ThreadedEngine implements ScriptEngine {
  readonly #start: () => Thread
  #thread: Thread | undefined

  constructor(start: () => Thread) {
    this.#start = start
    this.#thread = this.#open()
  }

  /** A thread that has ended, for whatever reason, is never given another job. */
  #open(): Thread {
    const thread = this.#start()
    thread.worker.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    return thread
  }

  async run(job: ScriptJob, signal: AbortSignal | undefined): Promise<ScriptOutcome> {
    this.#thread ??= this.#open()
    const { worker, ready } = this.#thread
    // While a job is waited for, the process must not end for want of anything else to do.
    worker.ref()
    try {
      // The limit is for the script, not for the start of the thread.
      await ready
      return await this.#answer(worker, job, signal)
    } finally {
      worker.unref()
    }
  }

  #answer(worker: Worker, job: ScriptJob, signal: AbortSignal | undefined): Promise<ScriptOutcome> {
    return new Promise<ScriptOutcome>((resolve, reject) => {
      const settle = (action: () => void): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        action()
      }
      const stop = (kind: ScriptFailure['kind'], message: string): void => {
        this.#thread = undefined
        void worker.terminate()
        settle(() => resolve({ events: [], failure: { kind, message, line: undefined, column: undefined } }))
      }
      const onMessage = (answer: ScriptThreadAnswer): void =>
        settle(() => ('outcome' in answer ? resolve(answer.outcome) : reject(answer.defect)))
      const onError = (error: NodeJS.ErrnoException): void => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
          stop('memory', limitText('memory', job.limits))
        } else {
          this.#thread = undefined
          settle(() => reject(error))
        }
      }
      const onExit = (): void => onError(new Error('the thread of the script engine ended by itself'))
      const onAbort = (): void => stop('aborted', 'interrupted')
      const onLate = (): void => stop('timeout', limitText('timeout', job.limits))
      const timer = setTimeout(onLate, job.limits.timeoutMs + GRACE_MS)
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) onAbort()
      else worker.postMessage(job)
    })
  }

  async close(): Promise<void> {
    await this.#thread?.worker.terminate()
    this.#thread = undefined
  }
}
