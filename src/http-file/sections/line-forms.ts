/** Recognises the forms of lines in a section by their beginning. */
import type { ScriptNode } from '../syntax/syntax-tree.ts'
import { type UnicodePattern, unicodePattern } from '../syntax/unicode-pattern.ts'

/** The first characters of these forms. */
export const AT = 0x40
export const marks = { 'pre-request': 0x3c, handler: 0x3e, common: 0x3d } as const

export const inlineScriptPattern: Readonly<Record<ScriptNode['phase'], RegExp>> = {
  'pre-request': /^[ \t\f]*<[ \t\f]*\{%/,
  handler: /^[ \t\f]*>[ \t\f]*\{%/,
  common: /^[ \t\f]*=[ \t\f]*\{%/,
}
export const fileScriptPattern: Readonly<Record<ScriptNode['phase'], RegExp>> = {
  'pre-request': /^<[ \t\f]+(?=\S)/,
  handler: /^>[ \t\f]+(?=\S)/,
  common: /^=[ \t\f]+(?=\S)/,
}
/** The name of a variable and what is around it, up to the equals sign. */
export const definitionPattern: UnicodePattern = unicodePattern(String.raw`^[ \t\f]*@([\p{L}\p{N}_.-]+)[ \t\f]*=`)
export const redirectPattern: RegExp = /^>>(!|(?!!))[ \t\f]*(?=\S)/
export const referencePattern: RegExp = /^<>[ \t\f]*(?=\S)/

/** Without the number signs on both sides: some files draw a rule with them. */
export function separatorName(text: string): string {
  return text
    .replace(/^#+/, '')
    .replace(/[ \t\f]#{3,}[ \t\f]*$/, '')
    .trim()
}
