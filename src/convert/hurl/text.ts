/**
 * Converts Hurl's texts: strings with escapes, templates, and their equivalents in request files.
 *
 * Rules (Hurl, "Grammar"): a backslash escapes `"`, `\`, `#`, and forms `\n`, `\r`, `\t`, `\b`, `\f` and `\u{…}`. A
 * comment begins with `#` after a blank. Functions in templates become dynamic variables.
 */
import { pieceText, templatedText, templatePieces } from '../draft/literal-text.ts'

const functions: Readonly<Record<string, string>> = { newUuid: '$uuid', newDate: '$isoTimestamp' }

const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\\': '\\', '"': '"', '#': '#', '`': '`', '/': '/' },
  // In names and in paths of files.
  ...{ ' ': ' ', ':': ':', ';': ';', '{': '{', '}': '}' },
}

/** Decodes escapes and converts templates. A brace that is written as an escape opens no template. */
export function hurlText(text: string): string {
  return unescapedText(text, expressionOf)
}

/** Decodes escapes in a text without templates. */
export function hurlLiteral(text: string): string {
  return unescapedText(text, () => undefined)
}

/** Decodes escapes in a text whose templates were already converted. */
export function hurlUnescaped(text: string): string {
  return unescapedText(text, (inner) => inner)
}

function unescapedText(text: string, expression: (inner: string) => string | undefined): string {
  const pieces = templatePieces(text, expression)
  return pieceText(pieces.map((piece) => (typeof piece === 'string' ? decoded(piece) : piece)))
}

function decoded(text: string): string {
  return text.replace(/\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))/g, (whole, code: string | undefined, character: string) => {
    if (code === undefined) return escapes[character] ?? whole
    const point = Number.parseInt(code, 16)
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point)
  })
}

/** Converts templates only, for bodies without escapes. */
export function hurlTemplates(text: string): string {
  return templatedText(text, expressionOf)
}

/** Undefined for an encoding other than `hex` and `base64`. */
export function bytesOf(encoding: string, text: string): Buffer | undefined {
  if (encoding === 'base64') return Buffer.from(text, 'base64')
  return encoding === 'hex' ? Buffer.from(text.replace(/\s/g, ''), 'hex') : undefined
}

/** Undefined for text that Hurl does not treat as a template, such as `$env.NAME`. */
function expressionOf(inner: string): string | undefined {
  const environment = /^getEnv\s+["']?([A-Za-z_]\w*)["']?$/.exec(inner)
  if (environment !== null) return `$env.${environment[1]}`
  // A filter has no equivalent (lostFilters); the variable is kept without it.
  const [name = ''] = inner.split(/\s+/)
  if (!/^[A-Za-z][\w-]*$/.test(name)) return undefined
  return Object.hasOwn(functions, name) ? functions[name] : name
}

/** Without a trailing comment and surrounding blanks. */
export function withoutComment(line: string): string {
  return line
    .replace(/(^|[ \t])#.*$/s, (comment, _, offset: number) => {
      const before = line.slice(0, offset)
      const quotes = before.replace(/\\./g, '').split('"').length - 1
      return quotes % 2 === 1 ? comment : ''
    })
    .trim()
}

/** Filters that change neither a text nor a value whose type is not written. */
const silentFilters: ReadonlySet<string> = new Set(['toInt', 'toFloat', 'toString'])

/** Templates with filters that change their value, with their lines from 1. */
export function lostFilters(source: string): readonly { readonly line: number; readonly text: string }[] {
  return source.split(/\r\n|\n/).flatMap((content, index) =>
    [...content.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([text, inner = '']) => {
      const [name = '', ...words] = inner.trim().split(/\s+/)
      const isLost = name !== 'getEnv' && /^[A-Za-z]/.test(name) && words.some((word) => !silentFilters.has(word))
      return isLost ? [{ line: index + 1, text }] : []
    }),
  )
}

/** Hurl also reads `.[0]` for `[0]`, and names with a hyphen after a dot, which RFC 9535 has in brackets. */
export function standardJsonPath(path: string): string {
  let result = ''
  let start = 0
  let depth = 0
  let quote = ''
  for (let index = 0; index < path.length; index++) {
    const character = path[index] as string
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (depth > 0 && /["']/.test(character)) {
      quote = character
    } else if (character === '[' && depth++ === 0) {
      result += standardNames(path.slice(start, index)).replace(/(?<!\.)\.$/, '')
      start = index
    } else if (character === ']' && depth > 0 && --depth === 0) {
      result += path.slice(start, index + 1)
      start = index + 1
    }
  }
  const rest = path.slice(start)
  return result + (depth > 0 ? rest : standardNames(rest))
}

function standardNames(path: string): string {
  return path.replace(/(\.\.?)([\p{L}_][\p{L}\p{N}_]*-[\p{L}\p{N}_-]*)/gu, (_, points: string, name: string) =>
    points === '..' ? `..['${name}']` : `['${name}']`,
  )
}
