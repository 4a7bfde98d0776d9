/**
 * Lists the requests that a run would send, as a table or as JSON Lines.
 *
 * Rules: one line for each request, in the order of the run; the place can be clicked in most terminals and passed to
 * `--line`. JSON has the same content. Names and targets come from files: on a terminal their control characters are
 * escaped.
 */
import { shown } from '../../report/index.ts'
import type { RequestLabel } from '../../runner/index.ts'
import { maskedData, type SecretMask } from '../../secrets/index.ts'
import type { Output } from '../frame/command.ts'

/** A longer value shifts the next column, so that one long name does not widen every line. */
const MAX_COLUMN = 48

export async function printRequestList(requests: readonly RequestLabel[], output: Output): Promise<void> {
  await output.write(joined(tableLines(requests, output)))
}

/**
 * Prints the same list as JSON Lines.
 * @param output unmasked: secrets are masked in texts, so that names of fields stay unchanged
 * @param ownFiles names of files that the user gave, which are not masked
 */
export async function printRequestLines(
  requests: readonly RequestLabel[],
  output: Output,
  mask: SecretMask | undefined,
  ownFiles: ReadonlySet<string>,
): Promise<void> {
  const lines = requests.map(({ file, line, name, method, target, tags }) => {
    const label = { file, line, name, method, target, tags }
    return JSON.stringify(
      mask === undefined ? label : maskedData(label, (text) => mask.mask(text), ownFiles.has(file) ? file : undefined),
    )
  })
  await output.write(joined(lines))
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function tableLines(requests: readonly RequestLabel[], { isTerminal }: Output): readonly string[] {
  const rows = requests.map(({ file, line, name, method, target, tags }) =>
    [`${file}:${line}`, name === '' ? '-' : name, method, target, tags.map((tag) => `@${tag}`).join(' ')].map((text) =>
      shown(text, { isTerminal }),
    ),
  )
  const widths = [0, 1, 2, 3].map((column) =>
    rows.reduce(
      (widest, { [column]: text = '' }) => (text.length > MAX_COLUMN ? widest : Math.max(widest, text.length)),
      0,
    ),
  )
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
