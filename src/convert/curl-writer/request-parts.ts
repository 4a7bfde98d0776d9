/** Properties of a request that all curl options depend on. */
import { type HeaderNode, type Request, type Span, templateText } from '../../http-file/index.ts'

/** Reports a part without an equivalent. */
export type ReportLoss = (place: Pick<Span, 'line'>, message: string) => void

export function hasTag({ tags }: Request, name: string): boolean {
  return tags.some((tag) => tag.name === name)
}

/** @param wanted in lower case */
export function isNamed({ name }: HeaderNode, wanted: string): boolean {
  return templateText(name).toLowerCase() === wanted
}

/** By its method, or by REST Client's header. */
export function isGraphql({ line, headers }: Request): boolean {
  return line.method === 'GRAPHQL' || headers.some((header) => isGraphqlField(header))
}

/** `X-Request-Type: GraphQL`, which is not sent. */
export function isGraphqlField(header: HeaderNode): boolean {
  return isNamed(header, 'x-request-type') && templateText(header.value).toLowerCase() === 'graphql'
}
