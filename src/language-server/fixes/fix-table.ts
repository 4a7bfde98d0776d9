/** The fixes for a finding, by its code. A hint with a suggestion is a fix for every code. */
import type { FileDiagnosticCode, RunErrorCode } from '../../runner/index.ts'
import type { Fix, Fixer, Problem } from './fix.ts'
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

const knownVersion = replacing(/^.*$/s, 'HTTP/1.1')
const emptyLine = lineAbove('', 'Begin the body here: insert an empty line')

type Code = FileDiagnosticCode | RunErrorCode

const fixers: Readonly<Partial<Record<Code, readonly Fixer[]>>> = {
  'bad-header': [emptyLine, commentOut],
  'bad-header-name': [emptyLine, commentOut],
  'bad-request-line': [commentOut],
  'extra-braces': [replacing(/^\{(\{\{[^{}]+\}\})\}$/, '$1')],
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
  'single-brace': [replacing(/^\{([^{}]+)\}+$/, '{{$1}}')],
  'typographic-quote': [plainCharacter],
  'unclosed-script': [closeScript],
  'unclosed-variable': [closeVariable],
  'unknown-variable': [defineVariable],
  'unknown-version': [knownVersion],
  'unused-variable': [removeDefinition],
}

export function fixesOf(problem: Problem): readonly Fix[] {
  const own = Object.hasOwn(fixers, problem.code) ? (fixers[problem.code as Code] ?? []) : []
  return [suggestionFixes, ...own].flatMap((fixer) => fixer(problem))
}

/** The suggestion replaces the text of the first group of the first matching pattern. */
const replaced: ReadonlyMap<string, readonly RegExp[]> = new Map<Code, readonly RegExp[]>([
  [
    'unknown-variable',
    [
      /^\{\{[ \t]*([\w-]+)(?=\.(?:request|response)\.(?:body|headers))/,
      // Keeps the arguments of `{{$name(1, 2)}}`.
      /^\{\{[ \t]*([^{}(]*[^{}( \t])(?:[ \t]*\([^{}]*)?[ \t]*\}\}$/,
    ],
  ],
  ['unknown-request', [/^[ \t]*run[ \t]+(#.*?)[ \t]*(?:\([ \t]*@.*)?$/s]],
  ['unknown-tag', [/(@[\w-]+)/]],
])

const wholePlace: readonly RegExp[] = [/^(.+)$/s]

/** Longer than any name. There is a limit because matching may take quadratic time. */
const MAX_LENGTH = 500

function suggestionFixes(problem: Problem): readonly Fix[] {
  if (problem.length > MAX_LENGTH) return []
  const names = /^Did you mean (.+)\?$/.exec(problem.hint ?? '')?.[1]?.split(' or ') ?? []
  const patterns = replaced.get(problem.code) ?? wholePlace
  const match = patterns.map((pattern) => pattern.exec(problem.text)).find((each) => each !== null)
  const wrong = match?.[1]
  if (match === undefined || wrong === undefined) return []
  const offset = problem.offset + match.index + match[0].indexOf(wrong)
  return names.map((name) => {
    // The suggested member includes its object, which is not in the range.
    const text = problem.code === 'unknown-member' ? name.slice(name.lastIndexOf('.') + 1) : name
    return {
      title: `Replace ${JSON.stringify(wrong)} with ${JSON.stringify(text)}`,
      edits: [{ offset, length: wrong.length, text }],
      isPreferred: names.length === 1,
    }
  })
}
