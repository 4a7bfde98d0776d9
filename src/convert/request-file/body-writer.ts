/**
 * Writes the body of a draft as lines of a request file.
 *
 * Rules: a form has one pair per line, its reserved characters written `%&`, `%=`, `%+` and `%%`; disabled entries are
 * comments. The boundary of a multipart body occurs in none of its texts.
 */
import { boundaryOf, dispositionOf, percentEscapes } from '../../http-file/index.ts'
import type { BodyDraft, Entry, MultipartEntry, RequestDraft } from '../draft/draft.ts'
import { bodyLines, EMPTY, mapText, oneLine, pathText } from '../draft/literal-text.ts'
import { multipartText } from './multipart-text.ts'

export interface WrittenBody {
  /** Lines of the file, '' for none. */
  readonly text: string
  /** The text in the draft: those of its characters that cannot be in a line become variables. */
  readonly source: string
  /** Used if no header sets one. */
  readonly contentType?: string
  /** The boundary of a multipart body, for a media type that does not name it. */
  readonly boundary?: string
  /** Whether the text is sent unchanged, not encoded as a form. */
  readonly isRaw: boolean
}

const emptyBody: WrittenBody = { text: '', source: '', isRaw: false }

/** @param addCompanion saves bytes in a file and returns its path */
export function writtenBody(
  { body, headers }: RequestDraft,
  addCompanion: (octets: Uint8Array) => string,
): WrittenBody {
  if (body === undefined) return emptyBody
  const type = headers.find(({ name, isDisabled }) => !isDisabled && isContentType(name))?.value ?? ''
  const boundary = /^\s*multipart\//i.test(type) ? boundaryOf(type) : undefined
  switch (body.type) {
    case 'text':
      return body.text === '' ? emptyBody : textBody(body.text, boundary)
    case 'file':
      return { ...emptyBody, text: `< ${pathText(body.path)}` }
    case 'octets':
      return { ...emptyBody, text: `< ${addCompanion(body.octets)}` }
    case 'form':
      return { ...emptyBody, text: formText(body.entries), contentType: 'application/x-www-form-urlencoded' }
    case 'multipart':
      return multipart(body, boundary)
    case 'graphql':
      return graphql(body)
    case 'messages':
      return { ...emptyBody, text: body.messages.map(bodyLines).join('\n===\n'), source: body.messages.join('') }
  }
}

export function isContentType(name: string): boolean {
  return /^content-type$/i.test(name)
}

function textBody(text: string, boundary: string | undefined): WrittenBody {
  const parts = boundary === undefined ? undefined : multipartText(text, boundary)
  if (parts === undefined) return { text: bodyLines(text), source: text, isRaw: true }
  return { text: parts.lines, source: parts.contents, isRaw: false }
}

function graphql({ query, variables }: Extract<BodyDraft, { type: 'graphql' }>): WrittenBody {
  const text = [query.trim(), variables.trim()].filter((part) => part !== '').join('\n\n')
  const source = text.replace(/\r\n?/g, '\n')
  return { ...emptyBody, text: bodyLines(source), source }
}

function formText(entries: readonly Entry[]): string {
  const last = entries.findLast(({ isDisabled }) => !isDisabled)
  return entries
    .map((entry) => {
      const pair = `${formWord(entry.name)} = ${formWord(entry.value)}`.trim()
      if (entry.isDisabled) return disabledLine(pair)
      // Marks of comments, files, handlers, assertions and responses.
      const line = pair.replace(/^(?:[#/<>?]|H(?=TTP\/\d))/, percentEscapes)
      return entry === last ? line : `${line} &`
    })
    .join('\n')
}

/** A comment that is not a tag. */
function disabledLine(text: string): string {
  return `# ${text.replace(/^\s*@/, `{{${EMPTY}}}@`)}`
}

/** Blanks and line ends at the edges would be read as layout. */
function formWord(text: string): string {
  return mapText(text, (plain) => plain.replace(/[%&=+]/g, '%$&').replace(/[\x00-\x1f\x7f]/g, percentEscapes)).replace(
    /^ +|(?<! ) +$/g,
    percentEscapes,
  )
}

type Disposition = 'form-data' | 'attachment'

function multipart(body: Extract<BodyDraft, { type: 'multipart' }>, declared: string | undefined): WrittenBody {
  const { parts } = body
  const disposition: Disposition = body.disposition ?? 'form-data'
  const boundary = declared ?? boundaryFor(parts)
  const lines = parts.map((part) => {
    const text = partLines(part, boundary, disposition)
    return part.isDisabled ? text.split('\n').map(disabledLine).join('\n') : text
  })
  if (parts.every(({ isDisabled }) => isDisabled)) return { ...emptyBody, text: lines.join('\n') }
  const source = parts.map(({ content }) => ('text' in content ? content.text : '')).join('')
  const contentType = `multipart/form-data; boundary=${boundary}`
  return { text: [...lines, `--${boundary}--`].join('\n'), source, contentType, boundary, isRaw: false }
}

function partLines(
  { name, content, fileName, contentType }: MultipartEntry,
  boundary: string,
  disposition: Disposition,
): string {
  const file = fileName ?? ('path' in content ? (content.path.split(/[\\/]/).at(-1) as string) : '')
  const hasDisposition = disposition === 'form-data' || name + file !== ''
  const value = dispositionOf(disposition, name, file === '' ? undefined : file)
  const field = hasDisposition ? `\nContent-Disposition: ${value}` : ''
  const type = contentType === undefined ? '' : `\nContent-Type: ${oneLine(contentType)}`
  const text = 'path' in content ? `< ${pathText(content.path)}` : content.text === '' ? '' : bodyLines(content.text)
  return `--${boundary}${field}${type}\n\n${text}`.replace(/(?<!\n)\n+$/, '\n')
}

function boundaryFor(parts: readonly MultipartEntry[]): string {
  const texts = parts.map(({ content }) => ('text' in content ? content.text : ''))
  for (let count = 0; ; count++) {
    const boundary = `boundary${count === 0 ? '' : count}`
    if (!texts.some((text) => text.includes(boundary))) return boundary
  }
}
