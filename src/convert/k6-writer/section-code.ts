/**
 * A section of a request file as an object of the exported script. Its type is in src/runner/load/load-plan.ts.
 *
 * Rules: texts stay templates, which the runtime renders as `run` does. Absent members are omitted.
 */
import {
  type HttpFile,
  type MessageNode,
  parseTemplate,
  type Request,
  type ScriptNode,
  type Section,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import type { Code, Printable } from './code-text.ts'
import { checkLoss, isSendable, type ReportLoss, reportRequest, reportVariables, sentTags } from './request-losses.ts'
import { scriptCode } from './script-code.ts'
import { joinedBody } from './template-code.ts'

export interface SectionSurroundings {
  readonly file: HttpFile
  readonly report: ReportLoss
  /** The text of a file that a request names; undefined if it cannot be read. */
  readonly readText: (path: string) => string | undefined
  /** Called with each file of a body. @returns whether it can be read */
  readonly useFile: (path: string) => boolean
}

interface Members {
  [name: string]: Printable
}

/** Undefined if nothing in the section can be converted. */
export function sectionCode(section: Section, surroundings: SectionSurroundings): Members | undefined {
  const { separator, parts, variables, directives } = section
  const { report, file } = surroundings
  const request = section.request !== undefined && isSendable(section.request, report) ? section.request : undefined
  for (const { span, value } of variables) reportVariables(value, span, report)
  const calls = directives.flatMap(({ span, target, overrides }) => {
    if (target.type === 'file') {
      report(span, `${templateText(target.path)}: requests of other files`)
      return []
    }
    if (!hasRequest(file, target.name)) {
      report(span, `run #${target.name}: a request of another file`)
      return []
    }
    const values = Object.fromEntries(overrides.map(({ name, value }) => [name, templateText(value)]))
    const members = overrides.length === 0 ? {} : { variables: values }
    return [{ request: target.name, line: span.line, ...members }]
  })
  if (request === undefined && variables.length === 0 && calls.length === 0) return undefined
  const name = request?.name || separator?.name || ''
  return {
    line: request?.line.span.line ?? separator?.span.line ?? parts[0]?.span.line ?? 1,
    ...(name === '' ? {} : { name }),
    ...(variables.length === 0
      ? {}
      : { variables: Object.fromEntries(variables.map((each) => [each.name, templateText(each.value)])) }),
    ...filled('calls', calls),
    ...(request === undefined ? {} : requestCode(request, section, surroundings)),
  }
}

/** Whether a call finds the request by its name, or by its method and URL if it has none. */
function hasRequest({ sections }: HttpFile, name: string): boolean {
  return sections.some(({ request, separator }) => {
    if (request === undefined) return false
    const names = [request.name, separator?.name ?? ''].filter((each) => each !== '')
    return names.length === 0 ? labelOf(request) === name : names.includes(name)
  })
}

/** The name of a request in reports if it has no other one. */
export function labelOf({ line }: Pick<Request, 'line'>): string {
  return `${line.method ?? 'GET'} ${templateText(line.target)}`
}

function filled(name: string, items: readonly Printable[]): Members {
  return items.length === 0 ? {} : { [name]: items }
}

function requestCode(request: Request, section: Section, surroundings: SectionSurroundings): Members {
  const { line, headers, messages } = request
  const { report, file } = surroundings
  reportRequest(request, report)
  const show = (template: Template): string => {
    reportVariables(template, line.span, report)
    return templateText(template)
  }
  const scripts = (nodes: readonly ScriptNode[]): readonly Code[] =>
    nodes.flatMap((node) => scriptOf(node, surroundings) ?? [])
  return {
    ...(line.method === undefined || line.method === 'GET' ? {} : { method: line.method }),
    url: show(line.target),
    ...(line.version === 'HTTP/2' ? { version: line.version } : {}),
    ...filled('tags', sentTags(request)),
    ...filled(
      'headers',
      headers.map(({ name, value }) => [show(name), show(value)]),
    ),
    ...(messages.length > 0
      ? { messages: messages.map((each) => messageCode(each, surroundings, show)) }
      : filled('body', bodyCode(request.body, surroundings, show))),
    ...filled('before', scripts([...file.common.preRequestScripts, ...request.preRequestScripts])),
    ...filled('captures', checks(request.captures, section, report)),
    ...filled('asserts', checks(request.assertions, section, report)),
    ...filled('after', scripts([...request.handlers, ...file.common.handlers])),
  }
}

function messageCode(
  { waitsForServer, body }: MessageNode,
  surroundings: SectionSurroundings,
  show: (template: Template) => string,
): Printable {
  return {
    ...(waitsForServer === 0 ? {} : { waitsForServer }),
    ...filled('body', bodyCode(body, surroundings, show)),
  }
}

function bodyCode(
  parts: Request['body'],
  { report, useFile, readText }: SectionSurroundings,
  show: (template: Template) => string,
): readonly Printable[] {
  return joinedBody(parts).flatMap((part): readonly Printable[] => {
    if ('parts' in part) return [show(part)]
    const { path, span, substitutes, charset } = part
    const name = templateText(path)
    if (path.parts.some(({ type }) => type === 'variable')) {
      report(span, `< ${name}: a file whose name is known when the request is sent`)
      return []
    }
    if (!useFile(name)) report(span, `< ${name}: it cannot be read`)
    if (substitutes) {
      // Positions in the file would be mistaken for those of the request file.
      reportVariables(parseTemplate(readText(name) ?? ''), span, (_place, message) => report(span, message))
    }
    const members = {
      ...(substitutes ? { replacesVariables: true } : {}),
      ...(charset === undefined ? {} : { charset }),
    }
    return [{ file: name, ...members }]
  })
}

function checks(
  all: Request['assertions'] | Request['captures'],
  { parts }: Section,
  report: ReportLoss,
): readonly string[] {
  return all.flatMap((check) => {
    const loss = checkLoss(check)
    if (loss !== undefined) {
      report(check.span, `${'name' in check ? '@capture' : '@assert'} ${check.text}: ${loss}`)
      return []
    }
    const tag = parts.find((part) => part.kind === 'tag' && part.span.line === check.span.line)
    return [tag?.text.trimStart().startsWith('??') === true ? `?? ${check.text}` : check.text]
  })
}

function scriptOf({ span, source }: ScriptNode, { file, report, readText }: SectionSurroundings): Code | undefined {
  const textOf = (source: ScriptNode['source']): string | undefined => {
    if (source.type === 'inline') return source.code
    const path = templateText(source.path)
    const text = path.includes('{{') ? undefined : readText(path)
    if (text === undefined) report(span, `the script ${path}: it cannot be read`)
    return text
  }
  const text = textOf(source)
  if (text === undefined) return undefined
  const common = file.common.code.flatMap((node) => textOf(node.source) ?? [])
  const { code, lost } = scriptCode(text, common)
  for (const message of lost) report(span, message)
  return code
}
