/**
 * The summary of a load test, printed by k6 at its end: https://grafana.com/docs/k6/latest/results-output/end-of-test.
 *
 * Rules: counts and times of all virtual users; failed checks by name.
 */
interface Metric {
  readonly values: Readonly<Record<string, number>>
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>
}

interface Check {
  readonly name: string
  readonly passes: number
  readonly fails: number
}

export interface SummaryData {
  readonly metrics: Readonly<Record<string, Metric | undefined>>
  readonly root_group: { readonly checks: readonly Check[] }
  readonly state: { readonly testRunDurationMs: number }
}

/** The order of the statistics, which k6 passes in any order. */
const statistics: readonly string[] = ['min', 'avg', 'med', 'p(90)', 'p(95)', 'max']

/** The text for the terminal. */
export function loadSummary(file: string, { metrics, root_group: { checks }, state }: SummaryData): string {
  const count = (name: string, value = 'count'): number => metrics[name]?.values[value] ?? 0
  const seconds = state.testRunDurationMs / 1000
  const requests = count('http_reqs')
  // In k6, the `passes` of this rate are the failed requests.
  const failed = count('http_req_failed', 'passes')
  const [passes, fails] = [count('checks', 'passes'), count('checks', 'fails')]
  const times = metrics.http_req_duration?.values ?? {}
  const names = [
    ...statistics.filter((name) => name in times),
    ...Object.keys(times).filter((name) => !statistics.includes(name)),
  ]
  const shownTimes = names.map((name) => `${name} ${shownMs(times[name] as number)}`)
  const crossed = Object.entries(metrics).flatMap(([name, metric]) =>
    Object.entries(metric?.thresholds ?? {}).map(
      ([condition, { ok }]) => `${ok ? 'passed' : 'FAILED'}      ${name} ${condition}`,
    ),
  )
  const lines = [
    `${file}: ${plural(count('iterations'), 'iteration')} in ${seconds.toFixed(1)} s`,
    `requests    ${requests} (${(seconds === 0 ? 0 : requests / seconds).toFixed(1)}/s), ${failed} failed`,
    ...(requests === 0 ? [] : [`times       ${shownTimes.join(', ')}`]),
    `checks      ${passes} passed, ${fails} failed`,
    ...checks
      .filter(({ fails: count }) => count > 0)
      .map(({ name, passes: good, fails: bad }) => `FAILED      ${name} (${bad} of ${good + bad})`),
    `errors      ${count('httpcli_errors')}`,
    ...crossed.map((line) => `threshold   ${line}`),
  ]
  return `\n${lines.join('\n')}\n`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function shownMs(value: number): string {
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(1)} ms`
}
