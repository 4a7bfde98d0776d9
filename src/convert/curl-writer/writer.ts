/**
 * Converts the requests of a request file to curl commands for a POSIX shell, one for each request.
 *
 * Rules: a command sends what `run` would send. Variables of the file are assigned once at the top; an unknown variable
 * is one of the shell. Parts that only a request file can contain, scripts and calls, are reported.
 */
import {
  endOfQuoted,
  type HttpFile,
  type Request,
  type ScriptNode,
  type Section,
  templateText,
  type VariableNode,
} from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { Losses } from '../draft/losses.ts'
import { Assignments } from './assignments.ts'
import { curlWords } from './command.ts'
import { isAssignable, type ShellVariables, shellWord } from './shell-text.ts'

export interface CurlSettings {
  /** Known values by expression: they override those of the file. */
  readonly values: ReadonlyMap<string, string>
}

export interface WrittenCurl {
  readonly text: string
  readonly losses: readonly Loss[]
}

export function writeCurl(file: HttpFile, { values }: CurlSettings): WrittenCurl {
  const losses = new Losses()
  const fileValues = new Map([...unnameable(file), ...scriptValues(file), ...values])
  const paragraphs: string[] = []
  const assigned = new Map<string, string>()
  const order = new Assignments()
  for (const section of file.sections) {
    const lines: string[] = []
    const assign = (names: readonly string[]): void => {
      for (const variable of order.outdated(names)) {
        lines.push(`${variable.name}=${shellWord(templateText(variable.value), shell)}`)
        assigned.set(variable.name, plainValue(variable, [fileValues, assigned], maximumLength.assigned))
      }
    }
    const shell: ShellVariables = {
      values: fileValues,
      assigned(expression) {
        assign([expression])
        return assigned.get(expression)
      },
      onUnknown: (expression, name) => {
        losses.add(placeOf(section), `{{${expression}}} has no equivalent in a shell: set ${name}`)
      },
    }
    const defined = section.variables.filter(({ name }) => !fileValues.has(name))
    order.define(defined)
    assign(defined.map(({ name }) => name))
    reportLost(section, losses)
    // Words that use an earlier variable may assign it again.
    const command = section.request === undefined ? [] : commandLines(section.request, shell, losses)
    lines.push(...command)
    if (lines.length > 0) paragraphs.push(lines.join('\n'))
  }
  return { text: paragraphs.length === 0 ? '' : `${paragraphs.join('\n\n')}\n`, losses: losses.all }
}

/** In-place variables whose names a shell does not allow, or uses as a setting: their values are inlined. */
function unnameable(file: HttpFile): readonly (readonly [string, string])[] {
  const known = new Map<string, string>()
  // Empty variables are inlined too, such as the `{{empty}}` that escapes text in request files.
  const variables = file.sections
    .flatMap((section) => section.variables)
    .filter(({ name, value }) => !isAssignable(name) || value.parts.length === 0)
  const order = new Assignments()
  order.define(variables)
  for (const variable of order.outdated(variables.map(({ name }) => name))) {
    known.set(variable.name, plainValue(variable, [known], maximumLength.unnameable))
  }
  return [...known]
}

/** Longer values stay references, because variables of variables multiply. */
const maximumLength = { assigned: 10_000, unnameable: 1_000_000 } as const

/** The value as text, with references to unknown variables; a reference to the variable if the text is too long. */
function plainValue(
  { name, value }: VariableNode,
  known: readonly ReadonlyMap<string, string>[],
  maximum: number,
): string {
  let text = ''
  for (const part of value.parts) {
    if (part.type === 'text') text += part.text
    else text += known.find((values) => values.has(part.expression))?.get(part.expression) ?? `{{${part.expression}}}`
    if (text.length > maximum) return `{{${name}}}`
  }
  return text
}

/** Variables of scripts that only assign texts. */
function scriptValues(file: HttpFile): readonly (readonly [string, string])[] {
  return file.sections.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'script' ? (settingsIn(part) ?? []) : [])),
  )
}

/** Name and value of `request.variables.set("name", "value")`, with their quotes. */
function settingIn(line: string): readonly [name: string, value: string] | undefined {
  const start = /^\s*request\.variables\.set\((?=")/.exec(line)?.[0].length
  const nameEnd = start === undefined ? -1 : endOfQuoted(line, start)
  if (nameEnd === -1 || !line.startsWith(', "', nameEnd)) return undefined
  const end = endOfQuoted(line, nameEnd + 2)
  if (end === -1 || line.slice(end).trimEnd() !== ')') return undefined
  return [line.slice(start, nameEnd), line.slice(nameEnd + 2, end)]
}

/** Undefined for a script that does anything else. */
function settingsIn({ phase, source }: ScriptNode): readonly (readonly [string, string])[] | undefined {
  if (phase !== 'pre-request' || source.type === 'file') return undefined
  const lines = source.code.split('\n').filter((line) => line.trim() !== '')
  const settings = lines.map(settingIn)
  if (settings.length === 0 || !settings.every((setting) => setting !== undefined)) return undefined
  return settings.map(([name, value]) => [JSON.parse(name), JSON.parse(value)] as const)
}

function placeOf({ request, parts, separator }: Section): string {
  return `line ${(request?.line ?? separator ?? parts[0])?.span.line ?? 1}`
}

/** Reports parts of a section that are not a request. */
function reportLost(section: Section, losses: Losses): void {
  for (const part of section.parts) {
    const place = `line ${part.span.line}`
    if (part.kind === 'script' && settingsIn(part) === undefined)
      losses.add(place, `a ${part.phase === 'common' ? 'common' : part.phase} script`)
    if (part.kind === 'directive') losses.add(place, part.text.trim())
    if (part.kind === 'tag' && /^(?:assert|capture)$/.test(part.name)) losses.add(place, `@${part.name}`)
  }
}

function commandLines(request: Request, shell: ShellVariables, losses: Losses): readonly string[] {
  const name = request.name === '' ? [] : [`# ${request.name}`]
  const words = curlWords(request, shell, (place, message) => losses.add(`line ${place.line}`, message))
  if (words === undefined) return []
  const [first = '', ...others] = words
  return [...name, [`curl ${first}`, ...others.map((word) => `  ${word}`)].join(' \\\n')]
}
