/**
 * Whether a script is plainly unable to keep the engine busy in a step that cannot be interrupted.
 *
 * Rules: it only saves time: a watchdog costs more than most scripts. The engine looks at the clock between the steps of
 * a script, but not inside a function of its own, such as a search in an array of 2^53 entries. So a script is harmless
 * when it has no loop and names nothing of the language's own objects but what is listed here, neither directly nor as
 * a text, and computes no name. Whatever is not plainly harmless is not.
 */
import type { ScriptToken } from './script-tokens.ts'

/** Of the language, and done in an instant whatever they are given. */
const quickNames = new Set(
  (
    'undefined NaN Infinity Math JSON Date Number Boolean Error TypeError Promise name message status get set clear log test ' +
    'valueOf now parse stringify toString startsWith endsWith trim toLowerCase toUpperCase toISOString then resolve ' +
    'isInteger isNaN isFinite round floor ceil abs max min value size sign exit body header headers length has data'
  ).split(' '),
)

const loopNames = new Set(['for', 'while', 'do', 'with', 'eval', 'import', 'class', 'function*'])

/** What `[` is harmless behind: then it begins an array, or a pattern of a declaration. */
const arrayBefore = new Set([
  '(',
  '[',
  ',',
  '=',
  ':',
  '=>',
  '?',
  '&&',
  '||',
  '??',
  '===',
  '!==',
  '==',
  '!=',
  '{',
  ';',
  '!',
  '+',
])

/** @param languageNames of all objects of the language */
export function isHarmless(tokens: readonly ScriptToken[], languageNames: ReadonlySet<string>): boolean {
  const isSuspect = (text: string): boolean => languageNames.has(text) && !quickNames.has(text)
  for (let index = 0; index < tokens.length; index++) {
    const { kind, text } = tokens[index] as ScriptToken
    const before = tokens[index - 1]
    if (kind === 'name') {
      if (loopNames.has(text) || text.includes('\\') || isSuspect(text)) return false
    } else if (kind === 'text') {
      if (text.includes('\\') || isSuspect(text.slice(1, -1))) return false
    } else if (kind === 'sign') {
      if (text === '...' || text === '++' || text === '--' || text === '**' || text === '**=') return false
      if (text === '*' && before?.text === 'function') return false
      if (text === '[' && before !== undefined && !arrayBefore.has(before.text) && !isPlainIndex(tokens, index))
        return false
      if (text === ']' && tokens[index + 1]?.text === ':') return false
      if (text === '=' && before?.text === 'length') return false
    } else if (kind === 'template' && text.includes('\\')) return false
  }
  return tokens.length < MAX_TOKENS
}

/** Beyond that a script may do much without a loop. */
const MAX_TOKENS = 2000

/** `[0]`, `["a"]`: the text is looked at like any other. */
function isPlainIndex(tokens: readonly ScriptToken[], index: number): boolean {
  const inner = tokens[index + 1]
  if (tokens[index + 2]?.text !== ']') return false
  return inner?.kind === 'text' || (inner?.kind === 'number' && /^\d{1,6}$/.test(inner.text))
}
