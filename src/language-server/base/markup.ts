/** Markdown texts, for clients that show Markdown and clients that do not. */
import { type MarkupContent, MarkupKind } from 'vscode-languageserver-protocol'

/** Code, bold text and links: texts of this server use nothing else. */
const marks = /(`+)( ?)([\s\S]*?)\2\1|\*\*([^*]+)\*\*|\[([^\]]*)\]\([^)]*\)/g

/** @param formats the formats that the client has announced; undefined: the server may choose */
export function markup(markdown: string, formats: readonly MarkupKind[] | undefined): MarkupContent {
  if (formats === undefined || formats.includes(MarkupKind.Markdown)) {
    return { kind: MarkupKind.Markdown, value: markdown }
  }
  return { kind: MarkupKind.PlainText, value: plainText(markdown) }
}

function plainText(markdown: string): string {
  return markdown.replace(marks, (_all, _fence, _blank, code?: string, bold?: string, link?: string) => {
    return code ?? bold ?? link ?? ''
  })
}
