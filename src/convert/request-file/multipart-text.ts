/**
 * Converts a complete multipart body, as browsers copy it, to lines of a request file.
 *
 * Rules (RFC 2046 section 5.1.1): each part begins with a line of the boundary, an empty line ends its header, and the
 * CR LF before the next boundary belongs to the boundary. `run` ends the lines around the parts with CR LF by itself,
 * so they are written as lines; only the contents may contain another CR.
 */
import { bodyLines } from '../draft/literal-text.ts'

export interface MultipartText {
  /** Lines of a request file. */
  readonly lines: string
  /** The contents of all parts. */
  readonly contents: string
}

/** Undefined unless all of the text is a multipart body with this boundary and CR LF. */
export function multipartText(text: string, boundary: string): MultipartText | undefined {
  const delimiter = `--${boundary}`
  const inner = text.replace(/\r\n$/, '')
  const end = `\r\n${delimiter}--`
  if (!inner.startsWith(`${delimiter}\r\n`) || !inner.endsWith(end)) return undefined
  const pieces = inner.slice(delimiter.length + 2, -end.length).split(`\r\n${delimiter}\r\n`)
  const parts = pieces.map(partOf)
  if (!parts.every((part) => part !== undefined)) return undefined
  const lines = parts.map(
    ({ head, content }) => `${delimiter}\n${head}\n\n${content === '' ? '' : `${bodyLines(content)}\n`}`,
  )
  return { lines: `${lines.join('')}${delimiter}--`, contents: parts.map(({ content }) => content).join('') }
}

function partOf(piece: string): { readonly head: string; readonly content: string } | undefined {
  const blank = piece.indexOf('\r\n\r\n')
  // A part without content may have lost its last line break to the boundary.
  if (blank === -1 && !piece.endsWith('\r\n')) return undefined
  const head = piece.slice(0, blank === -1 ? -2 : blank)
  if (head === '' || /^\r\n|\r(?!\n)|(?<!\r)\n/.test(head)) return undefined
  return { head: head.replaceAll('\r\n', '\n'), content: blank === -1 ? '' : piece.slice(blank + 4) }
}
