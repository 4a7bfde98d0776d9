/**
 * Requests whose target is only a path: as in httpYac, the value of the variable `host` is put before it.
 *
 * Rules: a Host field takes precedence, and then the variable is not used. Its value is an authority, or an origin with
 * its scheme. An error of the variable is reported at the target.
 */
import type { HttpFile, Request } from './syntax/syntax-tree.ts'
import { templateText } from './syntax/template.ts'

export const HOST_VARIABLE = 'host'

/** Whether the variable, if it has a value, names the host of the request. */
export function lacksHost({ line, headers }: Request): boolean {
  const [first] = line.target.parts
  if (first?.type !== 'text' || !first.text.startsWith('/')) return false
  return !headers.some(({ name }) => templateText(name).toLowerCase() === 'host')
}

/** The request with the variable before its path, if it lacks a host. */
export function withHostVariable(request: Request): Request {
  if (!lacksHost(request)) return request
  const { line } = request
  const host = { type: 'variable', expression: HOST_VARIABLE, span: line.targetSpan } as const
  return { ...request, line: { ...line, target: { parts: [host, ...line.target.parts] } } }
}

/** Does the same for all requests of a file. */
export function withHostVariables(file: HttpFile): HttpFile {
  const sections = file.sections.map((section) => {
    const { request } = section
    return request === undefined ? section : { ...section, request: withHostVariable(request) }
  })
  return { ...file, sections }
}
