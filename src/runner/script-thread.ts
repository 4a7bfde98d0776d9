/**
 * The thread in which scripts run: a worker whose file is this module.
 *
 * Rules: a thread can be ended at any time, also in the middle of a step inside the script engine; that is what makes
 * the time limit hold for every script. The main thread imports this module only for its address. Nothing else may
 * import it statically, so that the bundler gives it a file of its own.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { ScriptJob, ScriptOutcome } from './script-engine.ts'

/** Marks a worker as ours; a program that uses this library may have workers of its own. */
export const scriptThreadRole = 'httpcli-script-thread'

/** Where this module is: what a worker is started with. */
export const scriptThreadUrl: URL = new URL(import.meta.url)

/** The first message says that the thread is ready; then each job that goes in is answered by one of these. */
export type ScriptThreadAnswer = { readonly outcome: ScriptOutcome } | { readonly defect: unknown }

if (!isMainThread && workerData?.role === scriptThreadRole) void answerJobs()

/** An engine that cannot be loaded ends the thread with its error. */
async function answerJobs(): Promise<void> {
  const { createQuickJsSandbox } = await import('./quickjs-sandbox.ts')
  const engine = createQuickJsSandbox()
  parentPort?.on('message', (job: ScriptJob) => {
    engine.run(job, undefined).then(
      (outcome) => answer({ outcome }),
      (defect: unknown) => answer({ defect }),
    )
  })
  parentPort?.postMessage('ready')
}

function answer(message: ScriptThreadAnswer): void {
  parentPort?.postMessage(message)
}
