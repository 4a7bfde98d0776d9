/**
 * The requests of a request file to commands of curl, one for each request, for a POSIX shell.
 *
 * Rules: a command sends what `run` would send. Variables of the file are assigned once at the top; a variable that nobody
 * knows is one of the shell. What only a request file can hold, scripts and calls, is told.
 */
import {
  type HttpFile,
  type Request,
  type ScriptNode,
  type Section,
  templateText,
  type VariableNode,
} from '../../http-file/index.ts'
import type { Loss } from '../draft/draft.ts'
import { Losses } from '../draft/losses.ts'
import { curlWords } from './command.ts'
import { isAssignable, type ShellVariables, shellWord } from './shell-text.ts'

export interface CurlSettings {
  /** Known values by expression: they win over those of the file. */
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
  const isMissing = new Set<string>()
  for (const section of file.sections) {
    const shell: ShellVariables = {
      values: fileValues,
      onUnknown: (expression, name) => {
        isMissing.add(expression)
        losses.add(placeOf(section), `{{${expression}}} has no equivalent in a shell: set ${name}`)
      },
    }
    const assignments = section.variables
      .filter(({ name }) => !fileValues.has(name))
      .map(({ name, value }) => `${name}=${shellWord(templateText(value), shell)}`)
    tellLost(section, losses)
    const command = section.request === undefined ? [] : commandLines(section.request, shell, losses)
    const lines = [...assignments, ...command]
    if (lines.length > 0) paragraphs.push(lines.join('\n'))
  }
  return { text: paragraphs.length === 0 ? '' : `${paragraphs.join('\n\n')}\n`, losses: losses.all }
}

/** In-place variables whose names no shell takes, or takes for a setting: their values are written where they are used. */
function unnameable(file: HttpFile): readonly (readonly [string, string])[] {
  const known = new Map<string, string>()
  const plain = ({ value }: VariableNode): string =>
    value.parts
      .map((part) => (part.type === 'text' ? part.text : (known.get(part.expression) ?? `{{${part.expression}}}`)))
      .join('')
  for (const variable of file.sections.flatMap(({ variables }) => variables)) {
    // What a writer of request files needs to keep texts apart is nothing in a shell.
    if (!isAssignable(variable.name) || variable.value.parts.length === 0) known.set(variable.name, plain(variable))
  }
  return [...known]
}

/** Variables that scripts give a text, and do nothing else. */
function scriptValues(file: HttpFile): readonly (readonly [string, string])[] {
  return file.sections.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'script' ? (settingsIn(part) ?? []) : [])),
  )
}

const settingPattern = /^\s*request\.variables\.set\(("(?:[^"\\]|\\.)*"), ("(?:[^"\\]|\\.)*")\)\s*$/

/** Undefined for a script that does something else. */
function settingsIn({ phase, source }: ScriptNode): readonly (readonly [string, string])[] | undefined {
  if (phase !== 'pre-request' || source.type === 'file') return undefined
  const lines = source.code.split('\n').filter((line) => line.trim() !== '')
  const settings = lines.map((line) => settingPattern.exec(line))
  if (settings.length === 0 || settings.includes(null)) return undefined
  return settings.map((match) => [JSON.parse(match?.[1] ?? '""'), JSON.parse(match?.[2] ?? '""')] as const)
}

function placeOf({ request, parts, separator }: Section): string {
  return `line ${(request?.line ?? separator ?? parts[0])?.span.line ?? 1}`
}

/** Parts of a section that are no request. */
function tellLost(section: Section, losses: Losses): void {
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
