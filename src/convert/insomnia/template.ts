/**
 * Converts Insomnia's templates (Nunjucks) to those of request files.
 *
 * Rules (Insomnia, "Template Tags"): `{{ _.name }}` is a variable, optionally with a path; `{% … %}` calls a tag, `{# …
 * #}` is a comment. A value of a response is captured by the request that it belongs to. A tag without an equivalent is
 * reported and sent as written. Each character is read once.
 */

import { endOfQuoted } from '../../http-file/index.ts'
import { dynamicNames } from '../draft/dynamic-names.data.ts'
import { pieceText, type TextPiece, variableName } from '../draft/literal-text.ts'

/** Callbacks for templates other than variables. */
export interface TemplateSettings {
  /** A part without an equivalent. */
  readonly lose: (message: string) => void
  readonly prompt: (name: string, question: string) => void
  /**
   * A value of a response. @param subject that of a capture
   * @returns the name of the variable; undefined if that request is not sent before
   */
  readonly capture: (requestId: string, subject: string) => string | undefined
}

const closers: Readonly<Record<string, string>> = { '{{': '}}', '{%': '%}', '{#': '#}' }

/** The text with the variables of request files. */
export function insomniaText(text: string, settings: TemplateSettings): string {
  const pieces: TextPiece[] = []
  const unclosed = new Set<string>()
  let plainStart = 0
  let readTo = 0
  for (const { 0: opener, index } of text.matchAll(/\{[{%#]/g)) {
    if (index < readTo || unclosed.has(opener)) continue
    const end = text.indexOf(closers[opener] as string, index + 2)
    if (end === -1) {
      unclosed.add(opener)
      continue
    }
    readTo = end + 2
    const inner = text
      .slice(index + 2, end)
      .trim()
      .replace(/^-|-$/g, '')
      .trim()
    const piece = pieceOf(opener, inner, settings)
    if (piece === undefined) {
      settings.lose(`the template ${text.slice(index, end + 2).replace(/\s+/g, ' ')}`)
      continue
    }
    pieces.push(text.slice(plainStart, index), piece)
    plainStart = end + 2
  }
  return pieceText([...pieces, text.slice(plainStart)])
}

/** Undefined without an equivalent. */
function pieceOf(opener: string, inner: string, settings: TemplateSettings): TextPiece | undefined {
  if (opener === '{#') return ''
  const expression = opener === '{{' ? variableExpression(inner) : undefined
  if (expression !== undefined) return { expression }
  return opener === '{%' ? tagPiece(inner, settings) : undefined
}

const variablePattern =
  /^(?:_(?=[.[]))?(?:\.?([A-Za-z_$][\w$-]*)|\[\s*(?:'([^']*)'|"([^"]*)")\s*\])((?:\.[A-Za-z_$][\w$-]*|\[\d+\])*)$/

/** `_.name`, `name`, `_['name']`, each optionally with a path. */
function variableExpression(inner: string): string | undefined {
  const [match, dotted, single, double, path = ''] = variablePattern.exec(inner) ?? []
  if (match === undefined) return undefined
  const name = variableName(dotted ?? single ?? (double as string))
  return name === '' || name.startsWith('$') ? undefined : name + path
}

const nowFormats: Readonly<Record<string, string>> = { 'iso-8601': '$isoTimestamp', unix: '$timestamp' }

function tagPiece(inner: string, settings: TemplateSettings): TextPiece | undefined {
  const name = /^\w+/.exec(inner)?.[0] ?? ''
  const values = argumentsOf(inner.slice(name.length))
  const [first = '', second = '', third = ''] = values ?? []
  if (values === undefined) return undefined
  switch (name) {
    case 'uuid':
      return first === '' || first === 'v4' ? { expression: '$uuid' } : undefined
    case 'now':
      return variableOrNothing(nowFormats[first || 'iso-8601'])
    case 'timestamp':
      return { expression: '$timestamp' }
    case 'faker':
      return variableOrNothing(dynamicNames[`$${first}`])
    case 'base64':
      if (first === 'encode') return Buffer.from(third, 'utf8').toString(second === 'url' ? 'base64url' : 'base64')
      return first === 'decode' ? Buffer.from(third, 'base64').toString('utf8') : undefined
    case 'prompt': {
      const variable = variableName(second || first)
      if (variable === '') return undefined
      settings.prompt(variable, second || first)
      return { expression: variable }
    }
    case 'response': {
      const subject = responseSubject(first, decoded(third))
      return subject === undefined ? undefined : variableOrNothing(settings.capture(second, subject))
    }
    default:
      return undefined
  }
}

function variableOrNothing(expression: string | undefined): TextPiece | undefined {
  return expression === undefined ? undefined : { expression }
}

/** The subject of a capture. */
function responseSubject(attribute: string, filter: string): string | undefined {
  switch (attribute) {
    case 'body':
      if (filter === '') return undefined
      return `${filter.startsWith('/') ? 'xpath' : 'jsonpath'} ${JSON.stringify(filter)}`
    case 'raw':
      return 'body'
    case 'header':
      return /^[\w-]+$/.test(filter) ? `header ${filter}` : undefined
    case 'url':
      return 'url'
    default:
      return undefined
  }
}

/** Insomnia encodes quotes in its tags like this. */
function decoded(value: string): string {
  const encoded = /^b64::(.*)::46b$/s.exec(value)?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

/** Texts, numbers and words, separated by commas; undefined if one of them is a variable or a call. */
function argumentsOf(text: string): readonly string[] | undefined {
  const values: string[] = []
  let rest = text.trim()
  while (rest !== '') {
    const isQuoted = /^["']/.test(rest)
    const end = isQuoted ? endOfQuoted(rest, 0) : (/^(?:-?[\d.]+|true|false)/.exec(rest)?.[0].length ?? -1)
    if (end === -1) return undefined
    const written = isQuoted ? rest.slice(1, end - 1) : rest.slice(0, end)
    values.push(written.replace(/\\(.)/gs, '$1'))
    const after = rest.slice(end).trimStart()
    if (after !== '' && !after.startsWith(',')) return undefined
    rest = after.slice(1).trimStart()
  }
  return values
}
