/**
 * Dynamic variables of VS Code REST Client and Visual Studio, whose arguments follow blanks: `$randomInt 5 20`,
 * `$timestamp -1 d`, `$datetime "YYYY-MM-DD"`, `$processEnv NAME`, `$dotenv NAME`.
 *
 * Rules: a table from name to value, as for the others; the sources of values are parameters. A name after `%` is the
 * name of a variable that contains the name. A value that only the other editor provides is an error that says what to
 * write here.
 */
import { RunError } from '../../base/errors.ts'
import { badArgument } from './dynamic-call.ts'
import type { DynamicValue } from './dynamic-variables.ts'
import { dateText, movedMs, offsetUnits } from './editor-dates.ts'
import { isDrawable, randomInteger } from './random-numbers.ts'
import type { ValueSources } from './value-sources.ts'

export interface EditorContext {
  readonly sources: ValueSources
  /** A variable of the process. @throws HttpcliError */
  processValue(name: string): DynamicValue
  /** A variable of the nearest `.env`. @throws HttpcliError */
  dotenvValue(name: string): DynamicValue
  /** A variable of the environment or the command line. @throws HttpcliError */
  variable(name: string): string | undefined
}

type Maker = (words: readonly string[], context: EditorContext, name: string) => DynamicValue

const DATE_HINT =
  'Write {{$datetime iso8601}}, rfc1123 or a "pattern", and perhaps an offset: {{$datetime iso8601 -1 d}}.'

const makers: Readonly<Record<string, Maker>> = {
  $randomInt: (words, { sources }, name) => {
    const [from, to] = words.map((word) => (/^-?\d+$/.test(word) ? Number(word) : Number.NaN))
    const isRight = words.length === 2 && Number.isSafeInteger(from) && Number.isSafeInteger(to)
    const hint = 'Write {{$randomInt 5 20}}: from 5 up to, not including, 20.'
    if (!isRight) throw badArgument(name, `takes two whole numbers, found ${JSON.stringify(words.join(' '))}`, hint)
    if ((from as number) >= (to as number)) {
      throw badArgument(name, `the range from ${from} up to, not including, ${to} is empty`, hint)
    }
    if (!isDrawable(from as number, to as number)) {
      throw badArgument(name, `the range from ${from} to ${to} is too large`, hint)
    }
    return { text: String(randomInteger(from as number, to as number, sources.randomBytes)), isBare: true }
  },
  $timestamp: (words, { sources }, name) => {
    const ms = offsetMs(sources.now(), words, false, name, 'Write {{$timestamp -3 h}}.')
    return { text: String(Math.floor(ms / 1000)), isBare: true }
  },
  $datetime: (words, context, name) => date(words, context, false, name),
  $localDatetime: (words, context, name) => date(words, context, true, name),
  $processEnv: (words, context, name) => context.processValue(oneName(words, context, name)),
  $dotenv: (words, context, name) => context.dotenvValue(oneName(words, context, name)),
  $shared: (words, context, name) => {
    const shared = oneName(words, context, name)
    const text = context.variable(shared)
    if (text !== undefined) return { text, isBare: false }
    const message = `"$shared" of the environment file has no ${JSON.stringify(shared)}`
    throw new RunError('unknown-variable', message)
  },
}

/** Names with a meaning in another editor, and their replacements. */
const elsewhere: Readonly<Record<string, readonly [editor: string, instead: string]>> = {
  $aadToken: ['VS Code REST Client', 'Write {{$auth.token("id")}}, with the id in "Security" of the environment.'],
  $aadV2Token: ['VS Code REST Client', 'Write {{$auth.token("id")}}, with the id in "Security" of the environment.'],
  $oidcAccessToken: [
    'VS Code REST Client',
    'Write {{$auth.token("id")}}, with the id in "Security" of the environment.',
  ],
  $input: ['httpYac', 'Write {{name}}, and give it with -V name=value, or ask for it with "# @prompt name".'],
  '$input-askonce': ['httpYac', 'Write {{name}}, and give it with -V name=value, or ask for it with "# @prompt name".'],
  $password: ['httpYac', 'Write {{name}}, and give it with -P name=value, or ask for it with "# @prompt name".'],
  $pick: ['httpYac', 'Write {{name}}, and give it with -V name=value.'],
  '$pick-askonce': ['httpYac', 'Write {{name}}, and give it with -V name=value.'],
}

export const editorNames: readonly string[] = Object.keys(makers)

/**
 * A value; undefined for an unknown name.
 * @param expression the text between the braces
 * @throws HttpcliError `bad-argument`, `unknown-variable`, `not-supported`
 */
export function editorValue(expression: string, context: EditorContext): DynamicValue | undefined {
  const match = /^(\$[A-Za-z][\w-]*)(?:[ \t]+(\S.*))?$/s.exec(expression)
  const name = match?.[1]
  if (name === undefined) return undefined
  if (Object.hasOwn(elsewhere, name)) {
    const [editor, instead] = elsewhere[name] as readonly [string, string]
    throw new RunError('not-supported', `${name} is a variable of ${editor}, which is not supported`, {
      hint: instead,
    })
  }
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined
  if (maker === undefined) return undefined
  return maker(wordsOf(match?.[2] ?? ''), context, name)
}

/** Words separated by blanks; quotes are kept, and blanks inside them do not separate. */
function wordsOf(text: string): readonly string[] {
  return text.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
}

function date(words: readonly string[], { sources }: EditorContext, isLocal: boolean, name: string): DynamicValue {
  const [format = '', ...offset] = words
  const pattern = /^(["'])(.+)\1$/s.exec(format)?.[2]
  if (pattern === undefined && format !== 'iso8601' && format !== 'rfc1123') {
    const found = format === '' ? 'nothing' : JSON.stringify(format)
    throw badArgument(name, `takes a format first, found ${found}`, DATE_HINT)
  }
  const ms = offset.length === 0 ? sources.now() : offsetMs(sources.now(), offset, isLocal, name, DATE_HINT)
  return { text: dateText(ms, pattern ?? format, isLocal), isBare: false }
}

/** The time at an offset such as `-3 h`. */
function offsetMs(nowMs: number, words: readonly string[], isLocal: boolean, name: string, hint: string): number {
  const [amount = '', unit = ''] = words
  if (words.length !== 2 || !/^[+-]?\d+$/.test(amount) || !offsetUnits.includes(unit)) {
    const wanted = `a whole number and a unit (${offsetUnits.join(', ')})`
    throw badArgument(name, `takes ${wanted}, found ${JSON.stringify(words.join(' '))}`, hint)
  }
  const ms = movedMs(nowMs, { amount: Number(amount), unit }, isLocal)
  if (Number.isNaN(ms)) throw badArgument(name, `no date exists at ${amount} ${unit}`, hint)
  return ms
}

function oneName(words: readonly string[], context: EditorContext, name: string): string {
  const [word = ''] = words
  const match = /^(%?)([\w.-]+)$/.exec(word)
  if (words.length !== 1 || match === null) {
    throw badArgument(name, `takes one name, found ${JSON.stringify(words.join(' '))}`, `Write {{${name} NAME}}.`)
  }
  const [, sign, written = ''] = match
  if (sign === '') return written
  const found = context.variable(written)
  if (found !== undefined) return found
  throw new RunError('unknown-variable', `the environment variable ${JSON.stringify(written)} is not set`, {
    hint: `Set it to the name of the variable that ${name} reads.`,
  })
}
