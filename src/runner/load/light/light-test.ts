/**
 * The entry point of the light runtime, for files whose requests contain nothing that must be evaluated for each one.
 */
import type { K6Modules } from '../k6.ts'
import type { LoadServices } from '../load-services.ts'
import type { SummaryData } from '../load-summary.ts'
import type { LoadTest } from '../load-test.ts'
import { abortIfIncomplete, summaryTexts } from '../platform/load-edges.ts'
import type { createExtras } from './light-extras.ts'
import { extras as lightExtras, useParts, wholeRuntime } from './light-parts.ts'
import type { createScripts, LightScripts } from './light-scripts.ts'
import { createLightUser, type LightPlan, type LightUser } from './light-user.ts'

/** The functions that hold the other parts. */
export interface PartMakers {
  readonly extras: () => { readonly createExtras: typeof createExtras }
  readonly whole: () => LoadServices
  /** Undefined if the file has no scripts. */
  readonly scripts?: () => { readonly createScripts: typeof createScripts }
}

export interface LightTest extends Omit<LightUser, 'begin'>, Pick<LoadTest, 'summary'> {
  /** Begins an iteration. @returns whether the user has set all values */
  readonly begin: () => boolean
}

export function createLoadTest(k6: K6Modules, plan: LightPlan, { extras, whole, scripts }: PartMakers): LightTest {
  let world: LightScripts | undefined
  const evaluated = <Part>(part: () => Part): Part => (world === undefined ? part() : world.outside(part))
  useParts({
    extras: () => evaluated(() => extras().createExtras(k6.crypto, wholeRuntime)),
    whole: () =>
      evaluated(() => {
        const services = whole()
        services.usePlatform(k6.crypto, k6.http)
        return services
      }),
  })
  const user = createLightUser(k6, plan, (values, steps) => {
    const { createScripts } = (scripts as NonNullable<typeof scripts>)()
    world = createScripts(k6, values, steps, { extras: lightExtras, whole: wholeRuntime })
    return world
  })
  const { begin } = user
  return Object.assign(user, {
    begin: () => {
      if (abortIfIncomplete(k6, plan)) return false
      begin()
      return true
    },
    summary: (data: SummaryData) => summaryTexts(k6, wholeRuntime().loadSummary(plan.file, data), data),
  } as const)
}
