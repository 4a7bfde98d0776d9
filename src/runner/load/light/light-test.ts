/**
 * The entry point of the light runtime, for files whose requests contain nothing that must be evaluated for each one.
 */
import type { K6Modules } from '../k6.ts'
import type { LoadPlan } from '../load-plan.ts'
import type { LoadServices } from '../load-services.ts'
import type { LoadTest } from '../load-test.ts'
import { abortIfIncomplete, summaryTexts } from '../platform/load-edges.ts'
import type { createExtras } from './light-extras.ts'
import { useParts, wholeRuntime } from './light-parts.ts'
import { LightUser } from './light-user.ts'

/** The functions that hold the other parts. */
export interface PartMakers {
  readonly extras: () => { readonly createExtras: typeof createExtras }
  readonly whole: () => LoadServices
}

export function createLoadTest(k6: K6Modules, plan: LoadPlan, { extras, whole }: PartMakers): LoadTest {
  useParts({
    extras: () => extras().createExtras(k6.crypto, wholeRuntime),
    whole: () => {
      const services = whole()
      services.usePlatform(k6.crypto, k6.http)
      return services
    },
  })
  const user = new LightUser(k6, plan)
  return {
    iterate: () => {
      if (!abortIfIncomplete(k6, plan)) user.iterate()
    },
    summary: (data) => summaryTexts(k6, wholeRuntime().loadSummary(plan.file, data), data),
  }
}
