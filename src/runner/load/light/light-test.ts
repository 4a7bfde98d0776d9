/**
 * The entry point of the light runtime, for files whose requests contain nothing that must be evaluated for each one.
 */
import type { K6Modules } from '../k6.ts'
import type { LoadTest } from '../load-test.ts'
import { refuseMissing, summaryTexts } from '../platform/load-edges.ts'
import type { LightContext, LightParts } from './light-parts.ts'
import { empty } from './light-scopes.ts'
import { createLightUser, type LightPlan, type LightUser } from './light-user.ts'

/** The function that holds the other parts. */
export type PartMaker = <Name extends keyof LightParts>(
  name: Name,
) => { readonly create: (context: LightContext) => LightParts[Name] }

export interface LightTest extends LightUser, Pick<LoadTest, 'setup' | 'summary'> {}

export function createLoadTest(k6: K6Modules, plan: LightPlan, parts: PartMaker): LightTest {
  const { environment, security } = plan
  const loaded: Partial<LightParts> = {}
  const context: LightContext = {
    ...{ k6, security },
    scopes: { environment, row: {}, globals: empty(), inPlace: empty(), ofRequest: empty(), texts: empty() },
    part: (name) => {
      const { [name]: known, scripts } = loaded
      if (known !== undefined) return known
      const make = (): LightParts[typeof name] => parts(name).create(context)
      const made = scripts === undefined ? make() : scripts.outside(make)
      loaded[name] = made
      return made
    },
    ...{ v: String, isBuilding: false, values: undefined, steps: undefined },
  }
  return {
    ...createLightUser(k6, plan, context),
    setup: () => refuseMissing(k6, plan),
    summary: (data) => summaryTexts(k6, context.part('whole').loadSummary(plan.file, data), data),
  }
}
