/**
 * What the format knows and this program does not do yet, found before a request is sent.
 *
 * Rules: nothing of a request is ever silently left out. What stands in this table makes the request fail, with the
 * place; each row goes away when its feature comes.
 */
import type { Part, Request, Section } from '../http-file/index.ts'
import type { HttpcliError } from '../message/index.ts'
import { errorAt, type SourceText } from './errors.ts'

const methods: Readonly<Record<string, string>> = {
  GRAPHQL: 'GraphQL requests',
  WEBSOCKET: 'WebSocket connections',
  GRPC: 'gRPC calls',
  RSOCKET: 'RSocket connections',
}

/** Every part of a section that would have to be left out. */
export function unsupportedParts(section: Section, source: SourceText): readonly HttpcliError[] {
  const { request, directives } = section
  const found: { readonly part: Part; readonly what: string }[] = directives.map((part) => ({
    part,
    what: `"${part.directive}"`,
  }))
  if (request !== undefined) found.push(...unsupportedInRequest(request))
  return found.map(({ part, what }) =>
    errorAt(source, firstLine(part), { code: 'not-supported', message: `${what}: not supported yet` }),
  )
}

function unsupportedInRequest(request: Request): { readonly part: Part; readonly what: string }[] {
  const { line, tags, preRequestScripts, body, redirects } = request
  const kind = methods[line.method ?? 'GET']
  const found: { readonly part: Part; readonly what: string }[] = []
  if (kind !== undefined) found.push({ part: line, what: kind })
  if (line.version?.startsWith('HTTP/2')) found.push({ part: line, what: line.version })
  for (const part of tags) if (part.name === 'use-os-credentials') found.push({ part, what: `@${part.name}` })
  for (const part of preRequestScripts) found.push({ part, what: 'a script before the request' })
  for (const part of body) {
    if (part.kind === 'body-file' && part.substitutes) found.push({ part, what: '"<@", a body file with variables' })
  }
  for (const part of redirects) found.push({ part, what: '">>", the response body written to a file' })
  return found
}

/** A script may span many lines; its first one says enough. */
function firstLine({ span, text }: Part): Part['span'] {
  const end = text.trimStart().search(/[\r\n]/)
  return end === -1 ? span : { ...span, length: Math.min(span.length, end) }
}
