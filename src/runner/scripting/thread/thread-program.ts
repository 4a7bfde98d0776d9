/**
 * The program of the thread that runs scripts.
 *
 * Rules: bundled as text (thread-code.generated.ts), so that every distribution starts it the same way. A call of a
 * script blocks the thread until it is answered: the engine cannot wait in any other way. The state of the current
 * slice is in shared memory, because a thread that never stops computing cannot send messages.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { QuickJsEngine } from '../engine/quickjs-engine.ts'
import type { ScriptJob } from '../engine/script-engine.ts'
import { SentEvents } from './sent-events.ts'
import {
  type Answer,
  cells,
  type FromThread,
  type JobData,
  RESPONSE_HEAD,
  type ThreadStart,
  type ToThread,
} from './thread-messages.ts'
import { AskingReaders } from './thread-modules.ts'

const { core, shared, answers } = workerData as ThreadStart & { readonly answers: MessagePort }
const port = parentPort as MessagePort
const cell = new Int32Array(shared)

interface LaterAnswer {
  resolve(value: unknown): void
  reject(error: Error): void
}
const later = new Map<number, LaterAnswer>()
let lastId = 0
const events = new SentEvents(send)
let abortion = new AbortController()
const readers = new AskingReaders(ask)

const engine = new QuickJsEngine({
  core,
  // No limit: the program that started this thread watches it, and terminates it if a call does not end.
  maxRounds: undefined,
  library: (name) => ask({ type: 'library', name }) as string,
  testRegistered: (script, name) => send({ type: 'test-registered', script, name }),
  sliceStarted: (script, isInTests, allowedMs) => {
    cell[cells.allowedMs] = Math.min(allowedMs, 2 ** 31 - 1)
    cell[cells.script] = script
    cell[cells.inTests] = Number(isInTests)
    Atomics.add(cell, cells.slice, 1)
  },
  sliceEnded: () => {
    Atomics.add(cell, cells.slice, 1)
  },
  waitStarted: () => undefined,
  machineEnded: () => undefined,
})

function send(message: FromThread): void {
  port.postMessage(message)
}

/** @throws Error with the message of the answer */
function ask(question: FromThread): unknown {
  Atomics.store(cell, cells.answered, 0)
  send(question)
  // The wake-up may belong to an earlier answer, which arrived before the thread had to wait.
  while (Atomics.load(cell, cells.answered) === 0) Atomics.wait(cell, cells.answered, 0)
  return answered((receiveMessageOnPort(answers) as { readonly message: Answer }).message)
}

function answered(answer: Answer): unknown {
  if ('error' in answer) throw new Error(answer.error)
  return answer.value
}

function askLater(operation: string, args: readonly unknown[], ending: AbortSignal): Promise<unknown> {
  const id = ++lastId
  ending.addEventListener('abort', () => {
    if (later.has(id)) send({ type: 'end-later', id })
  })
  return new Promise((resolve, reject) => {
    later.set(id, { resolve, reject })
    send({ type: 'later', id, operation, args })
  })
}

function jobOf(data: JobData): ScriptJob {
  abortion = new AbortController()
  return {
    ...data,
    scripts: data.scripts.map((script) => readers.sourceOf(script)),
    ask: (operation, args) => {
      const isKnown = operation === RESPONSE_HEAD && data.responseHead !== undefined
      return isKnown ? answered(data.responseHead) : ask({ type: 'ask', operation, args })
    },
    askLater,
    signal: abortion.signal,
    onEvent: (event) => events.send(event),
  }
}

async function act(message: ToThread): Promise<void> {
  switch (message.type) {
    case 'load':
      try {
        engine.load(message.memoryBytes, message.engine)
      } catch {
        // The error is thrown again by the first script that runs.
      }
      return
    case 'run':
      return send({ type: 'done', outcome: await engine.run(jobOf(message.job)) })
    case 'check':
      return send({ type: 'checked', failures: engine.check(readers.sourceOf(message.source), message.limits) })
    case 'end-run':
      readers.clear()
      return engine.endRun()
    case 'abort':
      return abortion.abort()
    case 'handled':
      return events.noteHandled(message.number)
    case 'later': {
      const { id, value, error } = message
      const waiting = later.get(id)
      later.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(error))
    }
  }
}

port.on('message', (message: ToThread) => {
  act(message).catch((error: unknown) => {
    send({ type: 'broken', error: error instanceof Error ? error : new Error(String(error)) })
  })
})
