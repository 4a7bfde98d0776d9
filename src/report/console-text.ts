/**
 * What a run tells on the console besides the responses: headings, logs, test results, the summary.
 *
 * Rules: an event gives text for standard output, each line with its end, or ''. Plain words, no marks that need a
 * certain font; colours only where they are asked for. Names and logs come from files and servers: on a terminal their
 * control characters are escaped, in a pipe they are left as they are.
 */
import type { RunEvent, RunSummary } from '../runner/index.ts'

export interface ConsoleStyle {
  readonly isTerminal: boolean
  readonly colors: boolean
}

/** The error of an event that has one. */
type RunError = Extract<RunEvent, { readonly type: 'test-failed' }>['error']

const colors = {
  bold: ['\x1b[1m', '\x1b[22m'],
  green: ['\x1b[32m', '\x1b[39m'],
  red: ['\x1b[31m', '\x1b[39m'],
} as const

/** The text for an event; '' where it shows nothing here: responses and errors of requests have printers of their own. */
export function consoleText(event: RunEvent, style: ConsoleStyle): string {
  const paint = (color: keyof typeof colors, text: string): string =>
    style.colors ? colors[color][0] + text + colors[color][1] : text
  const shown = (text: string): string => (style.isTerminal ? escaped(text) : text)
  switch (event.type) {
    case 'request-started': {
      const { number, name, method, target, iteration } = event.request
      const round = iteration === 0 ? '' : ` (round ${iteration + 1})`
      const title = `${name === '' ? '' : `${name}: `}${method} ${target}${round}`
      return `${number === 1 ? '' : '\n'}${paint('bold', `### ${shown(title)}`)}\n`
    }
    case 'script-log':
      return `${shown(event.text)}\n`
    case 'test-passed':
      return `${paint('green', 'passed')}  ${shown(event.name)}\n`
    case 'test-failed':
      return `${paint('red', 'FAILED')}  ${shown(event.name)}\n${errorLines(event.error, shown)}`
    case 'script-failed':
      return `${paint('red', 'FAILED')}  a script\n${errorLines(event.error, shown)}`
    case 'run-finished':
      return `\n${summaryText(event.summary)}\n`
    default:
      return ''
  }
}

/** The message, then the place and the line with its caret, all indented below the test's name. */
function errorLines({ message, where, excerpt }: RunError, shown: (text: string) => string): string {
  const place = where === undefined ? [] : [`at ${where.file ?? 'line'}:${where.line}:${where.column}`]
  const lines = [
    ...message.split('\n'),
    ...place,
    ...(excerpt === undefined ? [] : excerpt.split('\n').map((line) => `  ${line}`)),
  ]
  return lines.map((line) => `        ${shown(line)}\n`).join('')
}

/** One line: `3 requests: 2 answered, 1 failed; 4 tests: 3 passed, 1 failed`. */
export function summaryText(summary: RunSummary): string {
  const { requests, answered, failed, blocked, badStatuses, testsPassed, testsFailed, scriptsFailed } = summary
  const tests = testsPassed + testsFailed
  const parts = [
    `${counted(requests, 'request')}: ${answered} answered, ${failed} failed`,
    ...(blocked === 0 ? [] : [`${blocked} not sent because a script failed`]),
    ...(badStatuses === 0 ? [] : [`${badStatuses} with a status of 400 or more`]),
    ...(tests === 0 ? [] : [`${counted(tests, 'test')}: ${testsPassed} passed, ${testsFailed} failed`]),
    ...(scriptsFailed === 0 ? [] : [`${counted(scriptsFailed, 'script')} failed`]),
    ...(summary.isInterrupted ? ['interrupted'] : []),
  ]
  return parts.join('; ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function escaped(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  )
}
