/**
 * A request as scripts see it. Before sending: as written, and with variables replaced; after: as sent.
 *
 * Rules: expressions that have no value yet stay as written. A file in the body is shown as the line that names it,
 * since scripts read no files. Everything is computed on demand.
 */
import { type JsonValue, type Template, templateText } from '../../http-file/index.ts'
import { readableField } from '../../secrets/index.ts'
import { bodyFileLine } from './request-body.ts'
import type { PreparedRequest } from './request-builder.ts'
import type { RequestContext } from './request-context.ts'
import { sentTemplates } from './request-templates.ts'

export interface ViewText {
  /** As written. */
  readonly raw: string
  /** Variables replaced; a variable that has no value, or is not loaded, stays as written. */
  substituted(): string
}

export interface RequestView {
  readonly method: string
  readonly url: ViewText
  /** An empty text if absent. */
  readonly body: ViewText
  readonly headers: readonly (ViewText & { readonly name: string })[]
  /** From 0. */
  readonly iteration: number
  /** The value of an expression in this iteration of the request, by its order; undefined before it is sent. */
  templateValue(index: number): JsonValue | undefined
  /**
   * Loads the libraries and tokens that the texts need, unless the request has been sent.
   * @throws HttpcliError of a token
   */
  load(): Promise<void>
}

/** @param prepared the request as sent; undefined before that */
export function requestView({ request, variables }: RequestContext, prepared?: PreparedRequest): RequestView {
  const sentFields = prepared === undefined ? [] : [...prepared.message.headers]
  const text = (template: Template, sent: string | undefined): ViewText => ({
    raw: templateText(template),
    substituted: () => sent ?? variables.tryRender(template),
  })
  const bodyText = (show: (template: Template) => string): string =>
    request.body.map((part) => (part.kind === 'body-text' ? show(part.template) : bodyFileLine(part, show))).join('\n')
  const fields = (): RequestView['headers'] =>
    request.headers.map((node) => {
      const name = variables.tryRender(node.name)
      const index = sentFields.findIndex(([field]) => field.toLowerCase() === name.toLowerCase())
      const sent = index === -1 ? undefined : (sentFields.splice(index, 1)[0] as readonly [string, string])[1]
      return { name, ...text(node.value, sent === undefined ? undefined : readableField(sent)) }
    })
  let headers: RequestView['headers'] | undefined
  return {
    method: request.line.method ?? 'GET',
    url: text(request.line.target, prepared?.message.target),
    body: {
      raw: bodyText(templateText),
      substituted: () => {
        const isWhole = prepared !== undefined && request.body.every(({ kind }) => kind === 'body-text')
        return isWhole ? prepared.bodyText : bodyText((template) => variables.tryRender(template))
      },
    },
    get headers() {
      headers ??= fields()
      return headers
    },
    iteration: prepared?.iteration ?? 0,
    templateValue: (index) => prepared?.templateValues[index],
    load: async () => {
      if (prepared === undefined) await variables.load(sentTemplates(request), true)
    },
  }
}
