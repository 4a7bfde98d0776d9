/**
 * `_headers`: blocks of a path and the response headers for it, as Netlify reads it.
 *
 * Rules: a line that begins with a slash is a path, every other one is `Name: value` for the last path; `#` begins a
 * comment line. A name that comes twice in a block has both values, with a comma between them. `Basic-Auth` is not a header:
 * its value lists the `user:password` pairs that the paths are for.
 */
import { HttpcliError } from '../../message/index.ts'
import { type Credentials, parseCredentials } from '../features/basic-auth.ts'
import { checkResponseField } from '../features/extra-fields.ts'
import type { Field } from '../semantics/answer.ts'
import type { LinearPattern } from './linear-pattern.ts'
import { parsePathPattern } from './path-pattern.ts'
import { linesOf, type RulesSource, rulesError, secretRulesError, type Token } from './rules-error.ts'

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
  readonly path: Token
  readonly fields: Field[]
  readonly credentials: Credentials[]
}

const form = 'Write a path on a line, and below it the headers as: Name: value.'

/** Throws HttpcliError `rules-syntax`. */
export function parseHeaders(source: RulesSource): HeadersFile {
  const blocks: Block[] = []
  for (const line of linesOf(source.text)) {
    if (line.text.startsWith('#')) continue
    if (line.text.startsWith('/')) blocks.push({ path: line, fields: [], credentials: [] })
    else addField(source, line, blocks.at(-1))
  }
  const patternOf = ({ path }: Block, ignoresCase: boolean): LinearPattern => {
    const pattern = parsePathPattern(path.text, { ignoresCase, endsAtAsterisk: false })
    if ('message' in pattern) throw rulesError(source, path.offset + pattern.index, pattern.message, form)
    return pattern
  }
  return {
    headers: blocks.map((block) => ({ pattern: patternOf(block, true), fields: joined(block.fields) })),
    credentials: blocks
      .filter(({ credentials }) => credentials.length > 0)
      .map((block) => ({ pattern: patternOf(block, true), credentials: block.credentials })),
  }
}

function addField(source: RulesSource, line: Token, block: Block | undefined): void {
  const { text, offset } = line
  const colon = text.indexOf(':')
  if (colon < 0) throw rulesError(source, offset, `${JSON.stringify(text)} is neither a path nor a header`, form)
  if (/^https?:\/\//i.test(text)) {
    throw rulesError(
      source,
      offset,
      'headers for one host are not supported: expected a path that begins with "/"',
      form,
    )
  }
  if (block === undefined) throw rulesError(source, offset, 'the header comes before the first path', form)
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  const valueOffset = offset + text.length - value.length
  if (value === '') throw rulesError(source, offset + colon, `the header ${JSON.stringify(name)} has no value`, form)
  try {
    if (name.toLowerCase() === 'basic-auth') {
      block.credentials.push(...value.split(/[ \t]+/).map(parseCredentials))
    } else {
      block.fields.push(checkResponseField(name, value))
    }
  } catch (error) {
    if (!(error instanceof HttpcliError)) throw error
    const hint = error.hint ?? form
    if (error.code === 'credentials') throw secretRulesError(source, valueOffset, error.message, hint)
    throw rulesError(source, offset, error.message, hint)
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
