/** The kinds of semantic tokens, from the list of the protocol, so that every theme has colours for them. */
import { SemanticTokenModifiers, type SemanticTokensLegend, SemanticTokenTypes } from 'vscode-languageserver-protocol'

/** What a token of a request file is to a theme. */
export const tokenTypes = {
  method: SemanticTokenTypes.keyword,
  target: SemanticTokenTypes.string,
  version: SemanticTokenTypes.type,
  headerName: SemanticTokenTypes.property,
  headerValue: SemanticTokenTypes.string,
  variable: SemanticTokenTypes.variable,
  dynamicVariable: SemanticTokenTypes.macro,
  requestName: SemanticTokenTypes.function,
  tag: SemanticTokenTypes.decorator,
  tagValue: SemanticTokenTypes.parameter,
  comment: SemanticTokenTypes.comment,
  mark: SemanticTokenTypes.operator,
  directive: SemanticTokenTypes.keyword,
  path: SemanticTokenTypes.string,
} as const satisfies Readonly<Record<string, SemanticTokenTypes>>

export type TokenKind = keyof typeof tokenTypes

export const legend: SemanticTokensLegend = {
  tokenTypes: [...new Set<string>(Object.values(tokenTypes))],
  tokenModifiers: [SemanticTokenModifiers.declaration],
}
