/**
 * The options of a load test: from the command line, and from `# @k6` lines of the request file.
 *
 * Rules: names are those of k6's own options. The command line overrides the file; if it sets the kind of load, the
 * kind in the file is ignored. Without a kind, the test is one iteration of one virtual user, like `run`.
 */
import type { HttpFile, Span } from '../../http-file/index.ts'
import type { Printable } from './code-text.ts'

export const loadOptionNames = ['vus', 'duration', 'iterations', 'stages', 'rate', 'max-vus', 'threshold'] as const
export type LoadOptionName = (typeof loadOptionNames)[number]

/** A setting as written, and its line if it is in the file. */
export interface LoadOption {
  readonly name: string
  readonly value: string
  readonly span?: Span
}

export interface WrittenOptions {
  readonly options: { readonly [name: string]: Printable }
  /** Problems in the file, and options that have no effect. */
  readonly problems: readonly (LoadOption & { readonly message: string })[]
}

/** The lines `# @k6 vus 10`. */
export function optionsInFile({ sections }: HttpFile): readonly LoadOption[] {
  return sections.flatMap(({ parts }) =>
    parts.flatMap((part): readonly LoadOption[] => {
      if (part.kind !== 'tag' || part.name !== 'k6') return []
      const [name = '', ...words] = part.value.trim().split(/[ \t]+/)
      return [{ name, value: words.join(' '), span: part.span }]
    }),
  )
}

const durationPattern = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/

/** The pattern of each value, and its description in messages. */
const forms: Readonly<Record<LoadOptionName, readonly [pattern: RegExp, expected: string]>> = {
  vus: [/^\d{1,7}$/, 'a number of virtual users, such as 10'],
  'max-vus': [/^\d{1,7}$/, 'a number of virtual users, such as 100'],
  iterations: [/^\d{1,12}$/, 'a number, such as 1000'],
  duration: [durationPattern, 'a time with its unit, such as 30s or 1m30s'],
  stages: [
    /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+:\d+(?:(?:[ \t]+|[ \t]*,[ \t]*)(?:\d+(?:\.\d+)?(?:ms|s|m|h))+:\d+)*$/,
    'times and virtual users, such as 30s:10,1m:50,10s:0',
  ],
  rate: [/^\d{1,9}(?:\/(?:s|m|h))?$/, 'iterations for a unit of time, such as 100/s'],
  threshold: [/^[\w.]+(?:\{[^{}]*\})?[: \t]\s*\S/, 'a metric and a condition, such as "http_req_duration p(95)<500"'],
}

/** The options that set the amount of load. Only one of them applies. */
const kinds: readonly LoadOptionName[] = ['stages', 'rate', 'iterations', 'duration', 'vus']

export interface TestTraits {
  readonly hasChecks: boolean
  /** Whether a status of 400 or more is a failure. */
  readonly failsOnStatus: boolean
}

export function loadOptions(
  fromCommandLine: readonly LoadOption[],
  inFile: readonly LoadOption[],
  { hasChecks, failsOnStatus }: TestTraits,
): WrittenOptions {
  const problems = inFile.flatMap((option) => {
    const message = loadOptionProblem(option)
    return message === undefined ? [] : [{ ...option, message }]
  })
  const valid = (options: readonly LoadOption[]): readonly LoadOption[] =>
    options.filter((option) => loadOptionProblem(option) === undefined)
  const isKindGiven = fromCommandLine.some(({ name }) => kinds.includes(name as LoadOptionName))
  const fromFile = valid(inFile).filter(({ name }) => !isKindGiven || name === 'threshold')
  const all = [...fromFile, ...valid(fromCommandLine)]
  const names = new Set(all.map(({ name }) => name))
  for (const option of all) {
    const reason = reasonWithoutEffect(option.name, names)
    if (reason !== undefined) problems.push({ ...option, message: `${option.name}: it has no effect ${reason}` })
  }
  const last = (name: LoadOptionName): string | undefined => all.findLast((each) => each.name === name)?.value
  const thresholds: Record<string, string[]> = {
    ...(hasChecks ? { checks: ['rate==1'] } : {}),
    httpcli_errors: ['count==0'],
    ...(failsOnStatus ? { http_req_failed: ['rate==0'] } : {}),
  }
  for (const { value } of all.filter(({ name }) => name === 'threshold')) {
    const [, metric = '', condition = ''] = /^([\w.]+(?:\{[^{}]*\})?)[: \t]\s*(.*)$/s.exec(value) ?? []
    thresholds[metric] = [...(thresholds[metric] ?? []), condition]
  }
  return { options: { ...load(last), thresholds }, problems }
}

/** Why the load does not depend on an option; undefined if it does. */
function reasonWithoutEffect(name: string, names: ReadonlySet<string>): string | undefined {
  if (name === 'max-vus') return names.has('rate') ? undefined : 'without rate'
  if (names.has('rate')) return name === 'stages' || name === 'iterations' ? 'beside rate' : undefined
  return names.has('stages') && (name === 'iterations' || name === 'duration') ? 'beside stages' : undefined
}

/** The problem with an option; undefined if it is valid. */
export function loadOptionProblem(option: LoadOption): string | undefined {
  const form = Object.hasOwn(forms, option.name) ? forms[option.name as LoadOptionName] : undefined
  if (form === undefined) {
    return `"${option.name}" is not a load option: expected ${loadOptionNames.join(', ')}`
  }
  const [pattern, expected] = form
  if (pattern.test(option.value)) return undefined
  return `${option.name} ${JSON.stringify(option.value)}: expected ${expected}`
}

const unitNames: Readonly<Record<string, string>> = { s: '1s', m: '1m', h: '1h' }
const DEFAULT_DURATION = '30s'

function load(value: (name: LoadOptionName) => string | undefined): { readonly [name: string]: Printable } {
  const vus = value('vus')
  const [stages, rate, iterations, duration] = (['stages', 'rate', 'iterations', 'duration'] as const).map(value)
  if (rate !== undefined) {
    const [count, unit = 's'] = rate.split('/') as [string, string?]
    const most = value('max-vus')
    // k6 refuses to start with more users than the maximum.
    const users = Number(vus ?? Math.min(10, Number(most ?? 10)))
    return {
      scenarios: {
        requests: {
          executor: 'constant-arrival-rate',
          ...{ rate: Number(count), timeUnit: unitNames[unit] as string, duration: duration ?? DEFAULT_DURATION },
          ...{ preAllocatedVUs: users, maxVUs: Number(most ?? Math.max(100, users)) },
        },
      },
    }
  }
  if (stages !== undefined) {
    const list = stages.split(/[ \t,]+/).map((stage) => {
      const [time = '', target = ''] = stage.split(':')
      return { duration: time, target: Number(target) }
    })
    return { ...(vus === undefined ? {} : { vus: Number(vus) }), stages: list }
  }
  const users = Number(vus ?? 1)
  if (iterations !== undefined) {
    return { vus: users, iterations: Number(iterations), ...(duration === undefined ? {} : { duration }) }
  }
  if (duration !== undefined) return { vus: users, duration }
  return vus === undefined ? { vus: 1, iterations: 1 } : { vus: users, duration: DEFAULT_DURATION }
}
