/** A load test with the full runtime: one virtual user for each instance of k6's engine. */
import type { K6Modules } from './k6.ts'
import type { LoadPlan } from './load-plan.ts'
import { loadSummary, type SummaryData } from './load-summary.ts'
import { useCrypto } from './platform/crypto.ts'
import { useHttp } from './platform/exchange.ts'
import { abortIfIncomplete, summaryTexts } from './platform/load-edges.ts'
import { VirtualUser } from './virtual-user.ts'

/** The functions that k6 calls. */
export interface LoadTest {
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
    iterate: () => (abortIfIncomplete(k6, plan) ? undefined : user.iterate()),
    summary: (data) => summaryTexts(k6, loadSummary(plan.file, data), data),
  }
}
