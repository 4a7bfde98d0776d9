/**
 * Lays out text in columns for the help pages.
 *
 * Rules: every line fits the given width if its words do; a longer command line is continued with a backslash. The
 * output is plain text without trailing blanks, so that it can be piped and compared.
 */
import type { Example } from '../options/specification.ts'

export type Entry = readonly [term: string, description: string]

const INDENT = '  '
/** The last column where descriptions may begin; a longer term pushes its description to the next line. */
const LAST_DESCRIPTION_COLUMN = 30
/** A narrower terminal has no room for descriptions beside long terms, so they go below. */
const NARROW_COLUMNS = 60
const NARROW_DESCRIPTION_COLUMN = 6

/** Wraps a paragraph into lines. */
export function wrap(text: string, columns: number, margin = ''): readonly string[] {
  return fill(text.split(' '), columns, margin, margin, '')
}

/** Terms, each with its description beside it or, for a long term, below it. */
export function entries(pairs: readonly Entry[], columns: number): readonly string[] {
  const longest = Math.max(...pairs.map(([name]) => name.length))
  const column = descriptionColumn(INDENT.length + longest + 2, columns)
  return pairs.flatMap(([name, text]) => {
    const head = wrap(name, columns, INDENT)
    const [first, ...others] = wrap(text, columns, ' '.repeat(column))
    return head.length > 1 || head[0]!.length + 2 > column
      ? [...head, first!, ...others]
      : [head[0]!.padEnd(column) + first!.slice(column), ...others]
  })
}

function descriptionColumn(wanted: number, columns: number): number {
  if (columns >= NARROW_COLUMNS) return Math.min(LAST_DESCRIPTION_COLUMN, wanted)
  return wanted <= columns * 0.4 ? wanted : NARROW_DESCRIPTION_COLUMN
}

/** Command lines, each with its purpose beside it or, without enough room, above it. */
export function examples(commands: readonly Example[], columns: number): readonly string[] {
  const width = Math.max(...commands.map(({ command }) => command.length))
  return commands.flatMap(({ command, purpose }) => {
    const beside = `${INDENT}${command.padEnd(width)}  # ${purpose}`
    if (beside.length <= columns) return [beside]
    return [
      ...fill(`# ${purpose}`.split(' '), columns, INDENT, `${INDENT}# `, ''),
      ...fill(shellWords(command), columns, INDENT, INDENT.repeat(2), ' \\'),
    ]
  })
}

/** Sections separated by an empty line; empty ones are omitted. */
export function page(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** Distributes words over lines: `next` begins every line but the first, `broken` ends every line but the last. */
function fill(words: readonly string[], columns: number, first: string, next: string, broken: string): string[] {
  const lines: string[] = []
  let line = first + words[0]
  for (const word of words.slice(1)) {
    if (line.length + 1 + word.length + broken.length > columns) {
      lines.push(line + broken)
      line = next + word
    } else {
      line += ` ${word}`
    }
  }
  return [...lines, line]
}

/** The words of a command line: blanks inside quotes do not separate. */
function shellWords(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
}
