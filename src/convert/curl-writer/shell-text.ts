/**
 * Writes text with variables as one word of a POSIX shell.
 *
 * Rules: text is in single quotes, which every POSIX shell reads alike; variables follow in double quotes. A known
 * value is text. Dynamic variables become commands with the same kind of output.
 */
import { parseTemplate, templateText } from '../../http-file/index.ts'

/** Commands with the output of a dynamic variable. */
const commandFor: Readonly<Record<string, string>> = {
  $uuid: '$(uuidgen)',
  '$random.uuid': '$(uuidgen)',
  $timestamp: '$(date +%s)',
  $isoTimestamp: '$(date -u +%Y-%m-%dT%H:%M:%SZ)',
}

export interface ShellVariables {
  /** Known values by expression; they are written as text. */
  readonly values: ReadonlyMap<string, string>
  /**
   * The value that the script assigns; unknown variables in it are references. Call this before the variable is used:
   * the script may have to assign it again.
   */
  readonly assigned: (expression: string) => string | undefined
  /** Called for an expression without an equivalent in a shell, with its name there. */
  readonly onUnknown: (expression: string, name: string) => void
}

/** The word for a text of a request file. */
export function shellWord(text: string, variables: ShellVariables): string {
  let word = ''
  let plain = ''
  const flush = (): void => {
    if (plain !== '') word += quoted(plain)
    plain = ''
  }
  for (const part of parseTemplate(text).parts) {
    const value = part.type === 'text' ? part.text : variables.values.get(part.expression)
    if (value !== undefined) {
      plain += value
      continue
    }
    flush()
    const expression = part.type === 'variable' ? part.expression : ''
    variables.assigned(expression)
    word += `"${reference(expression, variables)}"`
  }
  flush()
  return word === '' ? "''" : word
}

/**
 * The text with the values that match `unsafe`, where a word needs escapes that a shell does not add to a variable; the
 * other variables stay.
 */
export function withUnsafeValues(text: string, shell: ShellVariables, unsafe: RegExp): string {
  const parts = parseTemplate(text).parts.map((part) => {
    const value = part.type === 'text' ? undefined : unsafeValue(part.expression, shell, unsafe)
    return value === undefined ? part : { type: 'text' as const, text: value }
  })
  return templateText({ parts })
}

/** Undefined also for a value that depends on a variable of the shell. */
export function unsafeValue(
  expression: string,
  { values, assigned }: ShellVariables,
  unsafe: RegExp,
): string | undefined {
  const value = values.get(expression) ?? assigned(expression)
  return value === undefined || value.includes('{{') || !unsafe.test(value) ? undefined : value
}

/** Literal text in quotes. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function isShellName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

/**
 * Variables that mean something to the shell, the dynamic linker or curl: assigning them would change how the commands
 * run.
 */
const settings =
  /^(?:PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|(?:BASH|LD|DYLD|CURL|SSL|SSLKEYLOG|GCONV|XDG|NLS)\w*|LOCPATH|(?:\w+_)?PROXY|(?:\w+_)?proxy|OPTIND|OPTARG|PWD|OLDPWD|CDPATH|UID|EUID|_)$/

/** Whether a script may assign a variable of this name. */
export function isAssignable(name: string): boolean {
  return isShellName(name) && !settings.test(name)
}

function reference(expression: string, { onUnknown }: ShellVariables): string {
  if (isShellName(expression)) return `$${expression}`
  const environment = /^\$env\.([A-Za-z_]\w*)$/.exec(expression)
  if (environment !== null) return `$${environment[1]}`
  const command = Object.hasOwn(commandFor, expression) ? commandFor[expression] : undefined
  if (command !== undefined) return command
  const name = expression.replace(/^\W+|(?<!\W)\W+$/g, '').replace(/\W+/g, '_')
  onUnknown(expression, /^[A-Za-z_]/.test(name) ? name : `_${name}`)
  return `$${/^[A-Za-z_]/.test(name) ? name : `_${name}`}`
}
