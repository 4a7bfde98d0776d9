/** The fixes for a finding, by its code. A hint with a suggestion is a fix for every code. */
import type { Fix, Fixer, Problem } from './fix.ts'
import { suggestionFixes } from './suggestions.ts'
import {
  bodyToHandler,
  closeScript,
  closeVariable,
  commentOut,
  joinHeaders,
  lineAbove,
  plainCharacter,
  removeComma,
  removeIndent,
  removeLine,
  replacing,
  separatorAbove,
  unfoldHeader,
} from './text-fixes.ts'
import { defineVariable, removeDefinition } from './variable-fixes.ts'

const knownVersion = replacing(/^.*$/s, 'HTTP/1.1', 'Write %')
const emptyLine = lineAbove('', 'Begin the body here: insert an empty line')

const fixers: Readonly<Record<string, readonly Fixer[]>> = {
  'bad-header': [emptyLine, commentOut],
  'bad-header-name': [emptyLine, commentOut],
  'bad-request-line': [commentOut],
  'extra-braces': [replacing(/^\{(\{\{[^{}]+\}\})\}$/, '$1', 'Write %')],
  'folded-header': [unfoldHeader],
  'foreign-syntax': [commentOut],
  'header-in-body': [joinHeaders],
  'hidden-variable': [removeDefinition],
  'indented-separator': [removeIndent],
  'invalid-json': [removeComma],
  'invisible-character': [plainCharacter],
  'misplaced-text': [commentOut],
  'missing-separator': [separatorAbove],
  'misspelt-version': [knownVersion],
  'repeated-header': [removeLine],
  'request-in-body': [lineAbove('###', 'Write "###" above the request')],
  'response-in-body': [commentOut],
  'script-as-body': [bodyToHandler],
  'separator-in-body': [removeIndent],
  'single-brace': [replacing(/^\{([^{}]+)\}+$/, '{{$1}}', 'Write %')],
  'typographic-quote': [plainCharacter],
  'unclosed-script': [closeScript],
  'unclosed-variable': [closeVariable],
  'unknown-variable': [defineVariable],
  'unknown-version': [knownVersion],
  'unused-variable': [removeDefinition],
}

export function fixesOf(problem: Problem): readonly Fix[] {
  const own = Object.hasOwn(fixers, problem.code) ? (fixers[problem.code] as readonly Fixer[]) : []
  return [suggestionFixes, ...own].flatMap((fixer) => fixer(problem))
}
