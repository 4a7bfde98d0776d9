/**
 * Builds the syntax tree of a request file from a LoadPlan, so that the runner can process it like any other.
 *
 * Rules: positions are those of sections, and only their lines are known.
 */
import {
  type BodyFileNode,
  type BodyTextNode,
  type HttpFile,
  parseTemplate,
  readAssertion,
  readCapture,
  type ScriptNode,
  type Section,
  type Span,
  type TagNode,
  type VariableNode,
} from '../../http-file/index.ts'
import type { LoadBodyPart, LoadCall, LoadScript, LoadSection } from './load-plan.ts'

export interface PlannedFile {
  readonly file: HttpFile
  readonly codeOf: ReadonlyMap<ScriptNode, LoadScript>
}

export function plannedFile(sections: readonly LoadSection[]): PlannedFile {
  const codeOf = new Map<ScriptNode, LoadScript>()
  const common = { code: [], preRequestScripts: [], handlers: [] }
  return { file: { byteOrderMark: '', common, sections: sections.map((each) => sectionOf(each, codeOf)) }, codeOf }
}

function sectionOf(planned: LoadSection, codeOf: Map<ScriptNode, LoadScript>): Section {
  const span = { offset: 0, line: planned.line, column: 1, length: 0 }
  const { name = '' } = planned
  const tags = (planned.tags ?? []).map((text) => tagNode(text, span))
  return {
    separator: name === '' ? undefined : { kind: 'separator', span, text: '', name },
    parts: tags,
    variables: variablesOf(planned.variables, span),
    directives: (planned.calls ?? []).map(callNode),
    request: planned.url === undefined ? undefined : requestOf(planned, planned.url, { name, tags, span, codeOf }),
  }
}

interface RequestParts {
  readonly name: string
  readonly tags: readonly TagNode[]
  readonly span: Span
  readonly codeOf: Map<ScriptNode, LoadScript>
}

function requestOf(planned: LoadSection, url: string, { name, tags, span, codeOf }: RequestParts): Section['request'] {
  const { method, version, headers = [], body = [], messages = [], captures = [], asserts = [] } = planned
  const scripts = (codes: readonly LoadScript[] | undefined, phase: ScriptNode['phase']): readonly ScriptNode[] =>
    (codes ?? []).map((code) => {
      const node = { kind: 'script', span, text: '', phase, source: { type: 'inline', code: '', span } } as const
      codeOf.set(node, code)
      return node
    })
  return {
    name,
    tags,
    line: { kind: 'request-line', span, text: '', method, target: parseTemplate(url), targetSpan: span, version },
    headers: headers.map(([field, value]) => ({
      ...({ kind: 'header', span, text: '', nameSpan: span, valueSpan: span } as const),
      name: parseTemplate(field),
      value: parseTemplate(value),
    })),
    body: body.map((part) => bodyNode(part, span)),
    messages: messages.map((each) => ({
      waitsForServer: each.waitsForServer ?? 0,
      body: (each.body ?? []).map((part) => bodyNode(part, span)),
    })),
    preRequestScripts: scripts(planned.before, 'pre-request'),
    handlers: scripts(planned.after, 'handler'),
    redirects: [],
    references: [],
    captures: captures.map((text) => readCapture(text, planned.line)),
    assertions: asserts.map((text) => readAssertion(text, planned.line)),
  }
}

function tagNode(text: string, span: Span): TagNode {
  const [name = '', ...words] = text.split(' ')
  return { kind: 'tag', span, text, name, value: words.join(' ') }
}

function variablesOf(values: LoadSection['variables'], span: Span): readonly VariableNode[] {
  return Object.entries(values ?? {}).map(([name, value]) => {
    return { kind: 'variable', span, text: '', name, nameSpan: span, value: parseTemplate(value) }
  })
}

function callNode({ request, line, variables }: LoadCall): Section['directives'][number] {
  const span = { offset: 0, line, column: 1, length: 0 }
  const overrides = variablesOf(variables, span)
  const target = { type: 'request', name: request, span } as const
  return { kind: 'directive', span, text: '', directive: 'run', target, overrides }
}

function bodyNode(part: LoadBodyPart, span: Span): BodyTextNode | BodyFileNode {
  if (typeof part === 'string') return { kind: 'body-text', span, text: '', template: parseTemplate(part) }
  const { file, replacesVariables = false, charset } = part
  const path = { parts: [{ type: 'text', text: file }] } as const
  return { kind: 'body-file', span, text: '', path, pathSpan: span, substitutes: replacesVariables, charset }
}
