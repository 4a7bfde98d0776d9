/**
 * `$random.<class>.<method>` and `$random.locale.<class>.<method>("locale", seed)`: fake names, addresses and so on.
 *
 * Rules: this is loaded on first use, and so are languages other than English. A value is generated from a seed, which
 * comes from the random bytes of the run or is given; in the latter case the value is always the same.
 */
import type { Faker } from '@faker-js/faker'
import { faker as english } from '@faker-js/faker/locale/en'
import { nearestNames } from '../../../http-file/index.ts'
import { badArgument, type DynamicArgument, type DynamicCall, notLoaded } from './dynamic-call.ts'
import { type Fake, fakes } from './fake-table.ts'
import { randomInteger } from './random-numbers.ts'
import type { ValueSources } from './value-sources.ts'

const localeExample = 'Write $random.locale.name.firstName("de"), a seed may follow: ("de", 42).'

/** By lower-case name: the vendor's documentation spells some names in two ways. */
const byName = new Map(Object.entries(fakes).map(([name, fake]) => [`$random.${name}`.toLowerCase(), fake]))

/** All names, with `$random.`. */
export const fakeNames: readonly string[] = Object.keys(fakes).map((name) => `$random.${name}`)

export function takesArguments(name: string): boolean {
  return (byName.get(name.toLowerCase())?.arguments ?? 0) > 0
}

let fakers: Readonly<Record<string, Faker>> | undefined

export async function loadLanguages(): Promise<void> {
  fakers ??= (await import('@faker-js/faker')).allFakers
}

/** Undefined for an unknown name. @throws HttpcliError `bad-argument`; `unknown-variable` before `loadLanguages`. */
export function fakeValue(call: DynamicCall, sources: ValueSources): string | number | boolean | undefined {
  const isLocal = call.name.toLowerCase().startsWith('$random.locale.')
  const name = isLocal ? call.name.replace(/^\$random\.locale/i, '$random') : call.name
  const fake = byName.get(name.toLowerCase())
  if (fake === undefined) return undefined
  const { faker, seed, args } = isLocal ? localized(call) : { faker: english, seed: undefined, args: call.arguments }
  checkArguments(call.name, fake, args)
  faker.seed(seed ?? [word(sources), word(sources)])
  faker.setDefaultRefDate(sources.now())
  return fake.make(faker, args)
}

function word({ randomBytes }: ValueSources): number {
  return randomInteger(0, 2 ** 32, randomBytes)
}

interface Localized {
  readonly faker: Faker
  readonly seed: number | undefined
  /** The arguments of the value itself. */
  readonly args: readonly DynamicArgument[]
}

function localized({ name, arguments: [locale, seed, ...args] }: DynamicCall): Localized {
  if (typeof locale !== 'string') throw badArgument(name, 'needs a locale, such as "de" or "zh_CN"', localeExample)
  if (seed !== undefined && (typeof seed !== 'number' || !Number.isSafeInteger(seed))) {
    throw badArgument(name, `the seed must be a whole number, found ${JSON.stringify(seed)}`, localeExample)
  }
  if (fakers === undefined) throw notLoaded(name)
  const faker = fakerFor(locale, fakers)
  if (faker === undefined) {
    const nearest = nearestNames(locale, Object.keys(fakers))
    const hint = nearest.length > 0 ? `Did you mean ${nearest.join(' or ')}?` : localeExample
    throw badArgument(name, `unknown locale ${JSON.stringify(locale)}`, hint)
  }
  return { faker, seed, args }
}

/** Accepts `zh-CN` and `zh_cn`; `de_LI` falls back to its language. */
function fakerFor(locale: string, all: Readonly<Record<string, Faker>>): Faker | undefined {
  const wanted = locale.toLowerCase().replaceAll('-', '_')
  const names = Object.keys(all)
  const language = wanted.split('_')[0] as string
  const found =
    names.find((name) => name.toLowerCase() === wanted) ??
    names.find((name) => name === language) ??
    names.find((name) => name.startsWith(`${language}_`))
  return found === undefined ? undefined : all[found]
}

function checkArguments(name: string, fake: Fake, args: readonly DynamicArgument[]): void {
  if (args.length > fake.arguments) {
    const takes = fake.arguments === 0 ? 'no arguments' : `at most ${fake.arguments} numbers`
    throw badArgument(name, `takes ${takes}, found ${args.length}`)
  }
  const wrong = args.find((value) => typeof value !== 'number' || value < 0 || value > MAX_ARGUMENT)
  if (wrong !== undefined)
    throw badArgument(name, `takes numbers from 0 to ${MAX_ARGUMENT}, found ${JSON.stringify(wrong)}`)
}

/** A test that needs a longer text should use a file. */
const MAX_ARGUMENT = 1_000_000
