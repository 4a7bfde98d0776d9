/**
 * Commands of `console` blocks as steps, and a comparison of their output with the output that the page shows.
 *
 * Rules: `$ ` begins a command, `> ` continues it, everything else is output. `…` in a shown line matches any text in
 * the line, and on a separate line any number of lines. Values that change with time and machine (dates, times,
 * entity tags, UUIDs) are the same on both sides.
 */
export interface Step {
  readonly command: string
  readonly output: readonly string[]
}

/** The steps of a block's text. @throws Error for output before the first command. */
export function stepsOf(text: string): readonly Step[] {
  const steps: { command: string; output: string[] }[] = []
  for (const line of text.trimEnd().split('\n')) {
    const step = steps.at(-1)
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: [] })
    else if (step === undefined) throw new Error(`output before a command: ${line}`)
    else if (line.startsWith('> ') && step.output.length === 0) step.command += `\n${line.slice(2)}`
    else step.output.push(line)
  }
  return steps
}

const volatile: readonly (readonly [RegExp, string])[] = [
  [/^(date|last-modified|etag): .*$/i, '$1: *'],
  [/\[\d\d\/\w{3}\/\d{4}:[\d:]+ [+-]\d{4}\]/g, '[*]'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID'],
  // A slow machine may take seconds for steps that take milliseconds on the page.
  [/\b\d+(\.\d+)? m?s\b/g, '* ms'],
  [/^(Throughput .*?): \d+$/, '$1: *'],
  [/"(\w+Ms)":[\d.]+/g, '"$1":*'],
]

/** The lines of a text, made comparable. */
export function comparableLines(text: string): readonly string[] {
  const lines = text.replaceAll('\r', '').trimEnd().split('\n')
  return lines.map((line) => volatile.reduce((each, [pattern, put]) => each.replace(pattern, put), line.trimEnd()))
}

/** Whether the printed lines match the lines on the page. Both must have been made comparable. */
export function isShown(shown: readonly string[], printed: readonly string[]): boolean {
  const source = shown.map((line) => (line === '…' ? '(.*\n)*' : `${pieces(line).join('.*')}\n`)).join('')
  return new RegExp(`^${source}$`).test(printed.map((line) => `${line}\n`).join(''))
}

/** Whether the lines of an excerpt occur in this order in the printed lines; names of headers in any case. */
export function isExcerptOf(shown: readonly string[], printed: readonly string[]): boolean {
  const rest = printed.map((line) => line.toLowerCase())
  return shown.every((line) => {
    const place = rest.indexOf(line.toLowerCase())
    return place >= 0 && rest.splice(0, place + 1).length > 0
  })
}

const pieces = (line: string): readonly string[] =>
  line.split('…').map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
