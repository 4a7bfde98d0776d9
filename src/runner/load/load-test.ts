/**
 * The entry point of the full runtime, for load tests of any file: one virtual user for each instance of k6's engine.
 */
import type { K6Modules } from './k6.ts'
import type { LoadPlan } from './load-plan.ts'
import { loadSummary, type SummaryData } from './load-summary.ts'
import { useCrypto } from './platform/crypto.ts'
import { useHttp } from './platform/exchange.ts'
import { refuseMissing, summaryTexts } from './platform/load-edges.ts'
import { VirtualUser } from './virtual-user.ts'

export { readRows } from './load-services.ts'

/** The functions that k6 calls. */
export interface LoadTest {
  /** Called once, before all virtual users. @throws Error if the user has not set all values */
  readonly setup: () => void
  /** Called for each iteration of a virtual user. */
  readonly iterate: () => Promise<void> | void
  /** Called at the end of the test. @returns the texts to write, by file */
  readonly summary: (data: SummaryData) => Readonly<Record<string, string>>
}

export function createLoadTest(k6: K6Modules, plan: LoadPlan): LoadTest {
  if (k6.crypto !== undefined) useCrypto(k6.crypto)
  useHttp(k6.http)
  const user = new VirtualUser(k6, plan)
  return {
    setup: () => refuseMissing(k6, plan),
    iterate: () => user.iterate(),
    summary: (data) => summaryTexts(k6, loadSummary(plan.file, data), data),
  }
}
