/** The kinds of semantic tokens, from the list of the protocol, so that every theme has colours for them. */
import { SemanticTokenModifiers, type SemanticTokensLegend, SemanticTokenTypes } from 'vscode-languageserver-protocol'

export type TokenKind =
  | ('method' | 'target' | 'version' | 'headerName' | 'headerValue' | 'variable' | 'dynamicVariable')
  | ('requestName' | 'tag' | 'tagValue' | 'comment' | 'mark' | 'directive' | 'path')

export const tokenTypes: Readonly<Record<TokenKind, SemanticTokenTypes>> = {
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
}

export const legend: SemanticTokensLegend = {
  tokenTypes: [...new Set<string>(Object.values(tokenTypes))],
  tokenModifiers: [SemanticTokenModifiers.declaration],
}
