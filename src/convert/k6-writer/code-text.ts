/**
 * Prints values as readable JavaScript.
 *
 * Rules: two spaces, single quotes, no semicolons; a value that fits is printed on one line of MAX_WIDTH characters. A
 * text of several lines becomes a template literal, so that it looks the same as in the request file.
 */
const MAX_WIDTH = 110

/** An expression, printed unchanged; its lines are indented unless they may belong to a text. */
export class Code {
  readonly text: string
  readonly #hasFixedLines: boolean

  /** @param hasFixedLines whether the lines must not be indented */
  constructor(text: string, hasFixedLines: boolean = /`[^`]*\n/.test(text)) {
    this.text = text
    this.#hasFixedLines = hasFixedLines
  }

  indented(indent: string): string {
    return this.#hasFixedLines ? this.text : this.text.replace(/\n(?=.)/g, `\n${indent}`)
  }
}

export type Printable =
  | Code
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Printable[]
  | { readonly [name: string]: Printable }

/** Members that are undefined are omitted. @param indent the indent of the line in which the value begins */
export function printed(value: Printable, indent = ''): string {
  if (value instanceof Code) return value.indented(indent)
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (isList(value)) {
    return block(
      value.map((item) => (inner: string) => printed(item, inner)),
      ['[', ']'],
      indent,
    )
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return block(
    members.map(
      ([name, member]) =>
        (inner: string) =>
          `${propertyName(name)}: ${printed(member, inner)}`,
    ),
    ['{ ', ' }'],
    indent,
  )
}

function isList(value: object): value is readonly Printable[] {
  return Array.isArray(value)
}

function block(
  items: readonly ((indent: string) => string)[],
  [open, close]: readonly [string, string],
  indent: string,
): string {
  if (items.length === 0) return (open + close).replace(/ /g, '')
  const line = open + items.map((print) => print(indent)).join(', ') + close
  if (!line.includes('\n') && line.length + indent.length <= MAX_WIDTH) return line
  const inner = `${indent}  `
  return [open.trim(), ...items.map((print) => `${inner}${print(inner)},`), `${indent}${close.trim()}`].join('\n')
}

/** The text as a literal. Line separators are escaped, since they end a line comment in older JavaScript. */
export function quoted(text: string): string {
  if (text.includes('\n') && !/[\0-\x09\x0b-\x1f\u2028\u2029]/.test(text)) {
    return `\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``
  }
  const json = JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"')
  const escaped = json
    .replace(/'/g, "\\'")
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029')
  return `'${escaped}'`
}

export function propertyName(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__') return name
  const text = quoted(name)
  // A template literal is not a name, and `__proto__` is not a member.
  return text.startsWith('`') || name === '__proto__' ? `[${text}]` : text
}

/** Text for a comment, escaped so that it cannot end the comment. */
export function commentText(text: string): string {
  return text.replace(/\*\//g, '* /').replace(/[\r\n\u2028\u2029]+/g, ' ')
}
