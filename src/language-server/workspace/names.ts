/**
 * The names in a request file: definitions and uses of variables and requests.
 *
 * Rules: braces are searched for in the text of every part except comments and scripts, so that names are also found in
 * half-typed lines. `{{a.b}}` is the variable `a.b` if it exists, otherwise a path into `a`; an occurrence has both.
 */
import {
  HOST_VARIABLE,
  type HttpFile,
  lacksHost,
  type Part,
  type PartOf,
  type Section,
  templateText,
} from '../../http-file/index.ts'
import { parseReference, parseVariablePath, variableCalls } from '../../runner/index.ts'

export type NameKind = 'variable' | 'request'

/** The form in which a name is written. The forms in `definingForms` define it. */
export type NameForm =
  | 'in-place'
  | 'capture'
  | 'prompt'
  | 'script-set'
  | 'override'
  | 'environment-key'
  | 'name-tag'
  | 'separator'
  | 'request-line'
  /** `{{name}}` */
  | 'expression'
  /** The beginning of `{{name.path}}`. */
  | 'path'
  /** `client.global.get("name")` */
  | 'script-get'
  /** A call that may read or set a variable: `unknown.get("name")`. */
  | 'uncertain'
  /** `# @assert variable name` */
  | 'subject'
  /** `run #name` */
  | 'call'
  /** `{{name.response.body.…}}` */
  | 'reference'
  /** `# @ref name` */
  | 'ref-tag'
  /** A request line with only a path: the variable `host` is implied before it. */
  | 'bare-path'

export const definingForms: ReadonlySet<NameForm> = new Set<NameForm>([
  ...(['in-place', 'capture', 'prompt', 'script-set', 'override', 'environment-key'] as const),
  ...(['name-tag', 'separator', 'request-line'] as const),
])

export interface NamePlace {
  readonly kind: NameKind
  readonly form: NameForm
  readonly name: string
  /** The offset of the name, in UTF-16 units. */
  readonly offset: number
  readonly length: number
  /** The expression that begins with the name. The expression may be a name itself. */
  readonly whole?: { readonly name: string; readonly offset: number }
}

export interface NamesInFile {
  /** In the order of the file. */
  readonly places: readonly NamePlace[]
  /** Whether a script computes names of variables. */
  readonly hasComputedNames: boolean
}

const known = new WeakMap<HttpFile, NamesInFile>()

/** @param text the text of the file */
export function namesInFile(file: HttpFile, text: string): NamesInFile {
  const found = known.get(file)
  if (found !== undefined) return found
  const places: NamePlace[] = []
  const add = (found: readonly NamePlace[]): void => {
    for (const place of found) places.push(place)
  }
  let hasComputedNames = false
  for (const section of file.sections) {
    add(requestNames(section))
    add(hostNames(section))
    for (const part of section.parts) {
      if (part.kind === 'script' && part.source.type === 'inline') {
        const names = namesInScript(part.source.code, part.source.span.offset)
        add(names.places)
        hasComputedNames ||= names.hasComputedNames
      } else if (part.kind !== 'blank' && part.kind !== 'comment') {
        add(definitionsIn(part))
        add(namesInBraces(part.text, textOffset(part)))
      }
    }
    add(subjectNames(section, text))
  }
  const names = { places: places.sort((one, other) => one.offset - other.offset), hasComputedNames }
  known.set(file, names)
  return names
}

/** The span of a part excludes its indent, its text includes it. */
function textOffset({ span, text }: Part): number {
  return span.offset - (/^[ \t\f]*/.exec(text)?.[0].length ?? 0)
}

const expressionPattern = /\{\{([^{}\r\n]+)\}\}/g

/** The names between double braces in a text. @param offset the offset of the text */
export function namesInBraces(text: string, offset: number): readonly NamePlace[] {
  if (!text.includes('{{')) return []
  return [...text.matchAll(expressionPattern)].flatMap(({ index, 1: inner = '' }) => {
    const expression = inner.trim()
    return expression === '' ? [] : nameIn(expression, offset + index + 2 + inner.indexOf(expression))
  })
}

/** `{{$shared name}}`; `{{$processEnv %name}}`: the variable contains the name of the process's variable. */
const indirectPattern = /^\$(?:(?:processEnv|dotenv)[ \t]+%|shared[ \t]+%?)([\w.-]+)$/

function nameIn(expression: string, offset: number): readonly NamePlace[] {
  const reference = parseReference(expression)
  if (reference !== undefined) return [placeOf('request', 'reference', reference.name, offset)]
  const root = parseVariablePath(expression)?.root
  if (root !== undefined && root !== expression) {
    const place = placeOf('variable', 'path', root, offset + expression.indexOf(root))
    return [{ ...place, whole: { name: expression, offset } }]
  }
  if (!expression.startsWith('$')) return [placeOf('variable', 'expression', expression, offset)]
  const name = indirectPattern.exec(expression)?.[1]
  return name === undefined ? [] : [placeOf('variable', 'expression', name, offset + expression.length - name.length)]
}

/** The names by which `run` can call a section's request. */
function requestNames({ separator, request, parts }: Section): readonly NamePlace[] {
  if (request === undefined) return []
  const tag = parts.find((part): part is PartOf<'tag'> => part.kind === 'tag' && part.name === 'name')
  const names = [
    ...(separator === undefined || separator.name === ''
      ? []
      : [placeOf('request', 'separator', separator.name, separator.span.offset + separatorNameAt(separator))]),
    ...(tag === undefined || tag.value === '' ? [] : [placeOf('request', 'name-tag', tag.value, valueOffset(tag))]),
  ]
  if (names.length > 0) return names
  const { method, target, span } = request.line
  const place = placeOf('request', 'request-line', `${method ?? 'GET'} ${templateText(target)}`, span.offset)
  return [{ ...place, length: span.length }]
}

/** The variable `host`, which is implied before a path without a host. */
function hostNames({ request }: Section): readonly NamePlace[] {
  if (request === undefined || !lacksHost(request)) return []
  return [{ ...placeOf('variable', 'bare-path', HOST_VARIABLE, request.line.targetSpan.offset), length: 0 }]
}

function separatorNameAt({ text, name }: NonNullable<Section['separator']>): number {
  return text.indexOf(name, (/^#+/.exec(text)?.[0] ?? '').length)
}

/** The value of a tag extends to the end of its span. */
function valueOffset({ span, value }: PartOf<'tag'>): number {
  return span.offset + span.length - value.length
}

const capturePattern = /^([\p{L}\p{N}_.-]+)(?=[ \t\f]*[=:])/u
const promptPattern = /^([\p{L}\p{N}_.-]+)(?=\s|$)/u
const refTags: ReadonlySet<string> = new Set(['ref', 'forceRef', 'depends-on', 'dependsOn'])

function definitionsIn(part: Part): readonly NamePlace[] {
  if (part.kind === 'variable') return [placeOf('variable', 'in-place', part.name, part.nameSpan.offset)]
  if (part.kind === 'directive') return directiveNames(part)
  if (part.kind !== 'tag') return []
  const { name: tag, value } = part
  if (refTags.has(tag) && value !== '') return [placeOf('request', 'ref-tag', value, valueOffset(part))]
  const pattern = tag === 'capture' ? capturePattern : tag === 'prompt' ? promptPattern : undefined
  const name = pattern?.exec(value)?.[1]
  return name === undefined ? [] : [placeOf('variable', tag as 'capture' | 'prompt', name, valueOffset(part))]
}

function directiveNames(part: PartOf<'directive'>): readonly NamePlace[] {
  const { target, overrides, text } = part
  const { offset, length } = target.span
  const call =
    target.type === 'request' ? [placeOf('request', 'call', target.name, offset + length - target.name.length)] : []
  const start = textOffset(part)
  const written = [...text.matchAll(/@([\p{L}\p{N}_.-]+)[ \t\f]*=/gu)].filter(
    ({ index }) => start + index >= offset + length,
  )
  let next = 0
  return [
    ...call,
    ...overrides.flatMap(({ name }) => {
      next = written.findIndex((match, index) => index >= next && match[1] === name) + 1
      const match = written[next - 1]
      return match === undefined ? [] : [placeOf('variable', 'override', name, start + match.index + 1)]
    }),
  ]
}

/**
 * The variables that a script names. On a single name that is not known to hold variables the call is uncertain: the
 * name may be a parameter that does. @param offset the offset of the code in its file
 */
export function namesInScript(code: string, offset: number): NamesInFile {
  const { calls, isComplete } = variableCalls(code)
  const places = calls.flatMap(({ method, holder, holdsVariables, name, offset: at }): NamePlace[] => {
    if (name === undefined || (!holdsVariables && !/^[^.]+$/.test(holder))) return []
    const form = method === 'set' ? 'script-set' : 'script-get'
    return [placeOf('variable', holdsVariables ? form : 'uncertain', name, offset + at)]
  })
  const isComputed = calls.some(({ holdsVariables, name }) => holdsVariables && name === undefined)
  return { places, hasComputedNames: isComputed || !isComplete }
}

/** `# @assert variable name == 1` */
function subjectNames({ request }: Section, text: string): readonly NamePlace[] {
  return [...(request?.assertions ?? []), ...(request?.captures ?? [])].flatMap(({ subject }) => {
    const { kind, argument, argumentSpan } = subject
    if (kind !== 'variable' || argument === undefined) return []
    const name = templateText(argument)
    const isPlain = text.slice(argumentSpan.offset, argumentSpan.offset + argumentSpan.length) === name
    return isPlain && !name.includes('{{') ? [placeOf('variable', 'subject', name, argumentSpan.offset)] : []
  })
}

export function placeOf(kind: NameKind, form: NameForm, name: string, offset: number): NamePlace {
  return { kind, form, name, offset, length: name.length }
}
