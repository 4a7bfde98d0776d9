/**
 * Parts of requests that come from a variable or a file, but are known to the exporter: content types such as
 * `Content-Type: {{json}}` after `@json = application/json`, and bodies such as `<@ body.json`.
 *
 * Rules: the type decides how a body is sent, so a light load test needs to know it. A variable is fixed if the file
 * defines it once, before its use, and nothing else gives it a value. The text of a file is like a typed one, except
 * that it is never encoded as a form.
 */
import {
  type BodyFileNode,
  type HttpFile,
  isLiteral,
  type JsonValue,
  parseTemplate,
  plainOrigin,
  type Request,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import type { LightSection } from './light-code.ts'

export interface OtherValues {
  /** Of the environment and of rows. */
  readonly names: ReadonlySet<string>
  /** The code of all scripts. */
  readonly scripts: string
}

/** The sections with the texts of fixed content types. */
export function withFixedTypes(sections: readonly LightSection[], { names, scripts }: OtherValues): LightSection[] {
  const all = definitionsByName(sections)
  const captured = new Set(sections.flatMap(({ request }) => request?.captures ?? []).map(({ name }) => name))
  const setsAnyName = /\.set\(\s*[^"'`\s]/.test(scripts)
  const fixed = new Map<string, Template>()
  return sections.map((section) => {
    for (const { name, value } of section.variables) {
      const isOnly = all.get(name)?.length === 1
      const isElsewhere = names.has(name) || captured.has(name) || setsAnyName
      if (isOnly && isLiteral(value) && !isElsewhere && !scripts.includes(name)) fixed.set(name, value)
    }
    const { request } = section
    const headers = request?.headers.map((header) => {
      const [only, ...others] = header.value.parts
      const value = only?.type === 'variable' && others.length === 0 ? fixed.get(only.expression) : undefined
      const isType = templateText(header.name).toLowerCase() === 'content-type'
      return isType && value !== undefined ? { ...header, value } : header
    })
    return request === undefined || headers === undefined ? section : { ...section, request: { ...request, headers } }
  })
}

/** The values that each variable is given. */
function definitionsByName(sections: readonly LightSection[]): ReadonlyMap<string, readonly Template[]> {
  const found = new Map<string, Template[]>()
  for (const { name, value } of sections.flatMap(({ variables }) => variables)) {
    const values = found.get(name)
    if (values === undefined) found.set(name, [value])
    else values.push(value)
  }
  return found
}

/** The beginnings of URLs that are plain, as far as the exporter knows them. @param values none of them secret */
export function plainOrigins(
  sections: readonly LightSection[],
  values: ReadonlyMap<string, JsonValue>,
): ReadonlySet<string> {
  const variables = definitionsByName(sections)
  const texts = sections.flatMap(({ request }): readonly unknown[] => {
    const [first] = request?.line.target.parts ?? []
    if (first === undefined) return []
    if (first.type === 'text') return [plainOrigin(first.text)?.slice(0, -1)]
    const defined = (variables.get(first.expression) ?? []).filter(isLiteral)
    return [values.get(first.expression), ...defined.map(templateText)]
  })
  const known = texts.filter(
    (text): text is string => typeof text === 'string' && plainOrigin(`${text}/`) !== undefined,
  )
  return new Set(known)
}

/** The text of a file that a request names; undefined if it cannot be read. */
type ReadText = (path: string, charset?: string) => string | undefined

/** The texts of all such files. */
export function templateFiles({ sections }: HttpFile, readText: ReadText): readonly string[] {
  const requests = sections.flatMap(({ request }) => request ?? [])
  const parts = requests.flatMap(({ body, messages }) => [...body, ...messages.flatMap((message) => message.body)])
  return parts.flatMap((part) => {
    return part.kind === 'body-file' && part.substitutes ? (readText(templateText(part.path)) ?? []) : []
  })
}

/** A longer text would take memory in each virtual user. */
const MAX_LENGTH = 65_536

/** The sections with such texts in place of their files. */
export function withTemplateTexts(sections: readonly LightSection[], readText: ReadText): LightSection[] {
  return sections.map((section) => {
    const { request } = section
    return request === undefined ? section : { ...section, request: { ...request, body: typedBody(request, readText) } }
  })
}

/** A file with variables whose text is in the script. */
export interface FileText extends BodyFileNode {
  readonly template: Template
}

export function isFileText(part: Request['body'][number]): part is FileText {
  return part.kind === 'body-file' && 'template' in part
}

function typedBody({ body, headers }: Request, readText: ReadText): Request['body'] {
  // The type may be in a variable.
  const mayBeForm = headers.some(({ value }) => /\{\{|application\/x-www-form-urlencoded/i.test(templateText(value)))
  return body.map((part) => {
    if (part.kind !== 'body-file' || !part.substitutes) return part
    const text = readText(templateText(part.path), part.charset)
    if (text === undefined || text.length > MAX_LENGTH || text.includes('\ufffd')) return part
    const template = parseTemplate(text)
    if (body.length === 1 && !mayBeForm) return { kind: 'body-text', span: part.span, text, template }
    return { ...part, template }
  })
}
