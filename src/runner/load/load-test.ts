/** The entry of the runtime that exported scripts contain: a virtual user for each instance of k6's engine. */
import { readRows as rowsOf } from '../plan/data-rows.ts'
import type { K6Modules } from './k6.ts'
import type { LoadPlan } from './load-plan.ts'
import { loadSummary, type SummaryData } from './load-summary.ts'
import { useCrypto } from './platform/crypto.ts'
import { useHttp } from './platform/exchange.ts'
import { VirtualUser } from './virtual-user.ts'

/** The functions that k6 calls. */
export interface LoadTest {
  /** For each iteration of a virtual user. */
  readonly iterate: () => Promise<void>
  /** At the end of the test. @returns the texts to write, by file */
  readonly summary: (data: SummaryData) => Readonly<Record<string, string>>
}

export function createLoadTest(k6: K6Modules, plan: LoadPlan): LoadTest {
  useCrypto(k6.crypto)
  useHttp(k6.http)
  const user = new VirtualUser(k6, plan)
  return {
    iterate: async () => {
      const missing = plan.secrets.filter((name) => k6.environment[name] === undefined)
      if (missing.length === 0) return user.iterate()
      k6.exec.test.abort(`missing values: k6 run ${missing.map((name) => `-e ${name}=…`).join(' ')}`)
    },
    summary: (data) => {
      const { SUMMARY } = k6.environment
      return {
        stdout: loadSummary(plan.file, data),
        ...(SUMMARY === undefined ? {} : { [SUMMARY]: JSON.stringify(data, undefined, 2) }),
      }
    },
  }
}

/** The rows of a data file, as plain objects. @throws InvalidFileError */
export function readRows(text: string, path: string): readonly object[] {
  return rowsOf({ path, text }).map((row) => Object.fromEntries(row))
}
