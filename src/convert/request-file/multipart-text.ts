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
  // A part without content may have lost its last line break to the boundary.
  const match = /^((?:[^\r\n]+\r\n)*[^\r\n]+)\r\n(?:\r\n([\s\S]*))?$/.exec(piece)
  return match === null ? undefined : { head: (match[1] as string).replaceAll('\r\n', '\n'), content: match[2] ?? '' }
}
