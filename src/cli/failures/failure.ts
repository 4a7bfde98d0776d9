/**
 * Converts any error to text for stderr and an exit code. No other file does this.
 *
 * Rules: a failure is one line that says what was found and what to do. For an error in a user's text, file, line and
 * column are printed, and below them the line with a caret. Control characters are escaped, because they may come from
 * a server or a file name. A stack trace is shown only with --debug. Loaded only when something has gone wrong.
 */
import { HttpcliError } from '../../message/index.ts'
import { escapedControls, sentence } from '../../report/index.ts'
import type { InvalidRulesError } from '../../server/index.ts'
import type { WireError } from '../../wire/index.ts'
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts'
import { nearestName } from '../frame/suggest.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { CommandSpecification } from '../options/option-table.ts'
import { OutputClosedError } from '../streams/output.ts'
import { certificateLines } from './certificate-text.ts'
import { errorTable } from './error-table.ts'
import { foreignAdvice, foreignLettersAdvice, foreignValueAdvice, sharedLetterAdvice } from './foreign-options.ts'
import { systemFailure } from './system-failure.ts'

export interface FailureSettings {
  /** The start of the line: `httpcli send`. */
  readonly program: string
  readonly isDebug: boolean
  readonly colors: boolean
  /** The sub-command that failed, for advice on its options. */
  readonly command?: CommandSpecification | undefined
  /** The file or request that failed, for an error without a position. */
  readonly subject?: string | undefined
}

export interface Failure {
  /** Lines for stderr, each with its newline; empty if there is nothing to report. */
  readonly text: string
  readonly exitCode: ExitCode
}

/**
 * The text to print and the exit code. Several failures in one error (InvalidRulesError) are printed one after another.
 * Never throws.
 */
export function describeFailure(error: unknown, settings: FailureSettings): Failure {
  if (error instanceof OutputClosedError) return { text: '', exitCode: exitCodes.ok }
  const exitCode = exitCodeOf(error)
  const { errors = [error] } = error instanceof HttpcliError ? (error as Partial<InvalidRulesError>) : {}
  return { text: errors.map((each) => textOf(each, exitCode, settings)).join(''), exitCode }
}

function textOf(error: unknown, exitCode: ExitCode, settings: FailureSettings): string {
  const [first, ...others] =
    exitCode === exitCodes.internal ? internalLines(error, settings) : knownLines(error, settings)
  const details = settings.isDebug ? debugLines(error) : []
  const head = `${programName(settings)} ${printable(first)}\n`
  return head + [...others, ...details].map((line) => `${printable(line)}\n`).join('')
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof HttpcliError) return errorTable[error.code].exitCode
  if (error instanceof Error && error.name === 'AbortError') return exitCodes.interrupted
  return systemFailure(error) === undefined ? exitCodes.internal : exitCodes.io
}

type Lines = readonly [first: string, ...others: string[]]

function knownLines(error: unknown, { command, subject = '' }: FailureSettings): Lines {
  if (!(error instanceof HttpcliError)) {
    const [message, advice] = systemFailure(error) ?? ['interrupted']
    return [sentences(subject + message, advice)]
  }
  const advice = adviceFor(error, command)
  const { certificates } = error as Partial<Pick<WireError, 'certificates'>>
  if (certificates !== undefined) {
    const chain = certificateLines(certificates).map((line) => `  ${line}`)
    return [sentences(subject + error.message, advice), ...chain]
  }
  // A caret below an empty line is useless.
  if (error.excerpt === undefined || error.excerpt.trim() === '^')
    return [sentences(`${placeOf(error, subject)}${error.message}`, advice)]
  const frame = error.excerpt.split('\n').map((line) => `  ${line}`)
  const hint = advice === undefined ? [] : [`hint: ${sentence(advice)}`]
  return [`${placeOf(error, subject)}${error.message}`, ...frame, ...hint]
}

function internalLines(error: unknown, settings: FailureSettings): Lines {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const more = settings.isDebug ? 'the lines below' : 'the output of --debug'
  return [
    `internal error: ${what}`,
    `This is a defect of httpcli. Please report it as CONTRIBUTING.md says, with the command line and ${more}.`,
  ]
}

/**
 * `did you mean` comes before the general hint, because it is shorter. Advice on options of the sub-command follows.
 */
function adviceFor(error: HttpcliError, command: CommandSpecification | undefined): string | undefined {
  const unknown = error instanceof UsageError ? error.unknown : undefined
  const isSend = command === undefined || command.name === 'send'
  const foreign = unknown === undefined ? undefined : foreignAdvice(command?.name, unknown.name)
  if (foreign !== undefined) return foreign
  const { option = '' } = error as Partial<UsageError>
  const value = unknown === undefined ? undefined : foreignValueAdvice(command?.name, option, unknown.name)
  if (value !== undefined) return value
  const nearest = unknown === undefined ? undefined : nearestName(unknown.name, unknown.known)
  if (nearest !== undefined) return `Did you mean ${nearest}?`
  const letters = unknown === undefined || !isSend ? undefined : foreignLettersAdvice(unknown.name)
  if (letters !== undefined) return letters
  const shared = error instanceof UsageError && isSend ? sharedLetterAdvice(option, unknown?.name) : undefined
  const hints = [error.hint?.replace(/\.$/, ''), shared].filter((hint) => hint !== undefined)
  const options = optionAdvice(error, command)
  const hint = hints.join('; ').split(', or ')
  // "allow more time" is continued by "allow more time with --timeout <seconds>".
  const whole = hint.filter((part) => !options.some((text) => text.startsWith(`${part} `)))
  const advice = [...whole, ...options].filter((part) => part !== '')
  return advice.length === 0 ? undefined : advice.join(', or ')
}

/** Advice on an option is given only if the failed sub-command has the option. */
function optionAdvice(error: HttpcliError, command: CommandSpecification | undefined): readonly string[] {
  const has = (long: string): boolean => command?.options.some((option) => option.long === long) === true
  return errorTable[error.code].advice.filter(({ option }) => has(option)).map(({ text }) => text)
}

/** A place in a file names the request, too; one in a response does not. */
function placeOf({ where }: HttpcliError, subject: string): string {
  if (where === undefined) return subject
  return where.file === undefined
    ? `${subject}line ${where.line}, column ${where.column}: `
    : `${where.file}:${where.line}:${where.column}: `
}

function sentences(message: string, advice: string | undefined): string {
  if (advice === undefined) return message
  return `${sentence(message)} ${advice.charAt(0).toUpperCase()}${sentence(advice.slice(1))}`
}

function programName({ program, colors }: FailureSettings): string {
  return colors ? `\x1b[31m${program}:\x1b[39m` : `${program}:`
}

function debugLines(error: unknown): readonly string[] {
  const lines: string[] = []
  const seen = new Set<unknown>()
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current)
    const code = (current as { readonly code?: unknown }).code
    lines.push(
      `${current === error ? 'code' : 'caused by'}: ${typeof code === 'string' ? code : current.name}`,
      ...(current.stack ?? current.message).split('\n'),
    )
  }
  return lines
}

/** The text on one line. Its length stays the same, so that a caret below it points to the right character. */
function printable(line: string): string {
  return escapedControls(line.replace(/[\t\n]/g, ' '))
}
