/**
 * Text in columns: what the pages of the help are laid out with.
 *
 * Rules: every line fits the given width where its words do; a command line that does not is continued as a shell takes
 * it. Plain text without blanks at line ends, so that it can be piped and compared.
 */

/** A term and what it means. */
export type Entry = readonly [term: string, description: string]

/** A command line and what it is for. */
export interface PurposefulCommand {
  readonly command: string
  readonly purpose: string
}

const INDENT = '  '
/** Descriptions begin here at the latest; a longer term pushes its description to the next line. */
const LAST_DESCRIPTION_COLUMN = 30
/** A terminal that is narrower than this has no room for descriptions beside long terms. */
const NARROW_COLUMNS = 60
const NARROW_DESCRIPTION_COLUMN = 6

/** A paragraph in lines. */
export function wrap(text: string, columns: number, margin = ''): readonly string[] {
  return fill(text.split(' '), columns, margin, margin, '')
}

/** Terms, each with its description beside it or, where the term is long, below it. */
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

/** Command lines, each with its purpose beside it or, where there is no room, above it. */
export function examples(given: readonly PurposefulCommand[], columns: number): readonly string[] {
  const width = Math.max(...given.map(({ command }) => command.length))
  return given.flatMap(({ command, purpose }) => {
    const beside = `${INDENT}${command.padEnd(width)}  # ${purpose}`
    if (beside.length <= columns) return [beside]
    return [
      ...fill(`# ${purpose}`.split(' '), columns, INDENT, `${INDENT}# `, ''),
      ...fill(shellWords(command), columns, INDENT, INDENT.repeat(2), ' \\'),
    ]
  })
}

/** Sections apart from each other by an empty line; empty ones vanish. */
export function page(sections: readonly (readonly string[])[]): string {
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** Puts words on lines: `next` begins every line but the first, `broken` ends every line but the last. */
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

/** The words of a command line: blanks in quotes separate none. */
function shellWords(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
}
