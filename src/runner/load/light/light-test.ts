/**
 * The entry point of the light runtime, for files whose requests contain nothing that must be evaluated for each one.
 */
import type { K6Modules } from '../k6.ts'
import type { LoadTest } from '../load-test.ts'
import { refuseMissing } from '../platform/load-edges.ts'
import type { LightContext, LightParts } from './light-parts.ts'
import { empty, plainText } from './light-scopes.ts'
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
    v: (name) => {
      const { scopes, part } = context
      const known = scopes.texts[name]
      if (known !== undefined) return known
      const text = plainText(scopes, name)
      if (text === undefined) return part('values').text(name)
      scopes.texts[name] = text
      return text
    },
    ...{ isBuilding: false, values: undefined, steps: undefined },
  }
  return {
    ...createLightUser(k6, plan, context),
    setup: () => refuseMissing(k6, plan),
    summary: (data) => context.part('whole').summary(k6, plan.file, data),
  }
}
