/**
 * Converts curl's data options to a body or a query.
 *
 * Rules (curl manual): data of several options is joined by `&`, that of `--json` by nothing. `@file` means the content
 * of a file, except for `--data-raw`; `@-` is standard input. `--data-urlencode` takes `content`, `=content`,
 * `name=content`, `@file` and `name@file` and escapes the content.
 */
import { percentEscapes } from '../../http-file/index.ts'
import type { BodyDraft, PartContent } from '../draft/draft.ts'
import { joinedText, mapText } from '../draft/literal-text.ts'
import { encodedComponent } from '../draft/request-url.ts'
import type { DataOption, Transfer } from './transfer.ts'

export interface RequestData {
  readonly body: BodyDraft | undefined
  /** The pieces for `-G`. */
  readonly queries: readonly string[]
  readonly contentType: string
  readonly isJson: boolean
}

type Lose = (place: { readonly line: number }, message: string) => void

/** @param input standard input, if the command has any */
export function requestData(
  { data, isGet }: Pick<Transfer, 'data' | 'isGet'>,
  input: PartContent | undefined,
  lose: Lose,
): RequestData {
  const pieces = data.map((option) => (isGet ? queryPiece : pieceOf)(option, input, lose))
  const isJson = data.some(({ kind }) => kind === 'json')
  return {
    body: data.length === 0 ? undefined : joined(data, pieces, lose),
    queries: pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])),
    contentType: isJson ? 'application/json' : 'application/x-www-form-urlencoded',
    isJson,
  }
}

/** A file would be read when the request is sent. */
function queryPiece(option: DataOption, input: PartContent | undefined, lose: Lose): PartContent {
  const { kind, value, given } = option
  const isFile = kind !== 'data-raw' && kind !== 'data-urlencode' && value.startsWith('@')
  const source = value === '@-' ? input : { path: value.slice(1) }
  if (!isFile || source === undefined || 'text' in source) return pieceOf(option, input, lose)
  lose(given, `the content of the file ${source.path} in the query`)
  return { text: '' }
}

function pieceOf({ kind, value, given }: DataOption, input: PartContent | undefined, lose: Lose): PartContent {
  if (kind === 'data-raw') return { text: value }
  if (kind === 'data-urlencode') return urlencoded({ kind, value, given }, lose)
  if (!value.startsWith('@')) return { text: value }
  const source = value === '@-' ? input : { path: value.slice(1) }
  if (source === undefined) {
    lose(given, 'the standard input')
    return { text: '' }
  }
  if ('text' in source)
    return { text: kind === 'data' ? source.text.split(/[\r\n\0]/).reduce(joinedText) : source.text }
  if (kind === 'data') lose(given, `line ends of ${source.path} are sent: ${given.spelling} removes them`)
  return source
}

function urlencoded({ value, given }: DataOption, lose: Lose): PartContent {
  const mark = /[=@]/.exec(value)
  const name = mark === null ? '' : value.slice(0, mark.index)
  const content = mark === null ? value : value.slice(mark.index + 1)
  if (mark?.[0] === '@') lose(given, `the content of ${content}, escaped`)
  const escaped = mark?.[0] === '@' ? '' : mapText(content, escapedText)
  return { text: name === '' ? escaped : `${name}=${escaped}` }
}

/** Escapes all but the unreserved characters; a blank as in forms. */
export function escapedText(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+')
}

function percentEncoded(text: string): string {
  return encodedComponent(text).replace(/[!'()*]/g, percentEscapes)
}

function joined(data: readonly DataOption[], pieces: readonly PartContent[], lose: Lose): BodyDraft {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) {
    return 'path' in only ? { type: 'file', path: only.path } : { type: 'text', text: only.text }
  }
  const texts = pieces.map((piece, index) => {
    if ('text' in piece) return piece.text
    const option = data[index] as DataOption
    lose(option.given, `the content of ${piece.path} between other data`)
    return ''
  })
  return {
    type: 'text',
    text: texts.reduce((text, piece, index) => joinedText(text + separator(data, text, index), piece), ''),
  }
}

function separator(data: readonly DataOption[], before: string, index: number): string {
  return index === 0 || before === '' || data[index]?.kind === 'json' ? '' : '&'
}
