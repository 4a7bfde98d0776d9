/**
 * Parses `_headers`: blocks of a path and its response headers, as in Netlify.
 *
 * Rules: a line that begins with a slash is a path; any other line is `Name: value` for the last path; `#` begins a
 * comment line. A name that occurs twice in a block has both values, joined by a comma. `Basic-Auth` is not a header:
 * its value lists the `user:password` pairs for the path.
 */
import { HttpcliError } from '../../message/index.ts'
import { type Credentials, parseCredentials } from '../features/basic-auth.ts'
import { checkResponseField } from '../features/extra-fields.ts'
import type { Field } from '../semantics/answer.ts'
import type { LinearPattern } from './linear-pattern.ts'
import { parsePathPattern } from './path-pattern.ts'
import { linesOf, RulesMistake, type RulesMistakes, type RulesSource, type Token } from './rules-error.ts'

export interface HeaderRule {
  readonly pattern: LinearPattern
  readonly fields: readonly Field[]
}

export interface CredentialsRule {
  readonly pattern: LinearPattern
  readonly credentials: readonly Credentials[]
}

export interface HeadersFile {
  readonly headers: readonly HeaderRule[]
  readonly credentials: readonly CredentialsRule[]
}

interface Block {
  /** Undefined if it is invalid; the headers below it are still checked. */
  readonly pattern: LinearPattern | undefined
  readonly fields: Field[]
  readonly credentials: Credentials[]
}

const form = 'Write a path on a line, and below it the headers as: Name: value.'
const removalHint = 'Remove the line: a header of a later path replaces that of an earlier one.'

/** Invalid rules are omitted and added to `mistakes`. */
export function parseHeaders(source: RulesSource, mistakes: RulesMistakes): HeadersFile {
  const blocks: Block[] = []
  for (const line of linesOf(source.text)) {
    if (line.text.startsWith('#')) continue
    const block = blocks.at(-1)
    if (block === undefined || /^(?:\/|https?:\/\/)/i.test(line.text)) {
      blocks.push({ pattern: mistakes.attempt(source, () => patternOf(line)), fields: [], credentials: [] })
    } else mistakes.attempt(source, () => addField(line, block))
  }
  return {
    headers: blocks.flatMap(({ pattern, fields }) => (pattern ? [{ pattern, fields: joined(fields) }] : [])),
    credentials: blocks.flatMap(({ pattern, credentials }) => {
      return pattern && credentials.length > 0 ? [{ pattern, credentials }] : []
    }),
  }
}

/** Throws RulesMistake. */
function patternOf({ text, offset }: Token): LinearPattern {
  if (/^https?:/i.test(text)) {
    const message = 'headers for one host are not supported: expected a path that begins with "/"'
    throw new RulesMistake(message, form, () => offset)
  }
  if (!text.startsWith('/')) {
    const isHeader = text.includes(':')
    const message = isHeader ? 'the header comes before the first path' : neitherPathNorHeader(text)
    throw new RulesMistake(message, form, () => offset)
  }
  const pattern = parsePathPattern(text, { isCaseInsensitive: true, isAsteriskLast: false })
  if ('message' in pattern) throw new RulesMistake(pattern.message, form, () => offset + pattern.index)
  return pattern
}

function neitherPathNorHeader(text: string): string {
  return `${JSON.stringify(text)} is neither a path nor a header`
}

/** Throws RulesMistake. */
function addField({ text, offset }: Token, block: Block): void {
  const colon = text.indexOf(':')
  if (/^![ \t]/.test(text)) {
    const message = 'the removal of a header, as Cloudflare Pages reads it, is not supported'
    throw new RulesMistake(message, removalHint, () => offset)
  }
  if (colon < 0) throw new RulesMistake(neitherPathNorHeader(text), form, () => offset)
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  if (value === '') {
    throw new RulesMistake(`the header ${JSON.stringify(name)} has no value`, form, () => offset + colon)
  }
  try {
    if (name.toLowerCase() === 'basic-auth') {
      for (const word of value.split(/[ \t]+/)) block.credentials.push(parseCredentials(word))
    } else {
      block.fields.push(checkResponseField(name, value))
    }
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    const isSecret = error.code === 'credentials'
    const at = isSecret ? offset + text.length - value.length : offset
    throw new RulesMistake(error.message, error.hint ?? form, () => at, isSecret)
  }
}

/** One line for each name; cookies cannot share one (RFC 6265 section 3). */
function joined(fields: readonly Field[]): readonly Field[] {
  const result: Field[] = []
  for (const [name, value] of fields) {
    const index = result.findIndex(([other]) => other.toLowerCase() === name.toLowerCase())
    const known = result[index]
    if (known === undefined || name.toLowerCase() === 'set-cookie') result.push([name, value])
    else result[index] = [known[0], `${known[1]}, ${value}`]
  }
  return result
}
