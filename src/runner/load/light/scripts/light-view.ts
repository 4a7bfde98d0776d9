/**
 * The entry point of the part of the light runtime with the request as scripts see it, by request/request-view.ts.
 *
 * Rules: the exporter passes the request as written. It passes no scripts that ask for the values of single
 * expressions.
 */
import { parseTemplate, type Request, type Template } from '../../../../http-file/index.ts'
import type { PreparedRequest } from '../../../request/request-builder.ts'
import type { RequestContext } from '../../../request/request-context.ts'
import { requestAddress } from '../../../request/request-url.ts'
import { type RequestView, requestView } from '../../../request/request-view.ts'
import type { LoadBodyPart, LoadSection } from '../../load-plan.ts'
import { requestFields } from '../../platform/k6-fields.ts'
import type { LightContext, SentRequest } from '../light-parts.ts'

/** A request as written: its texts are templates. */
export type WrittenRequest = Pick<LoadSection, 'method' | 'headers' | 'body' | 'tags'> & { readonly url: string }

export interface LightView {
  /** @param sent undefined before that */
  readonly view: (written: WrittenRequest, sent?: SentRequest) => RequestView
}

export function create({ v }: LightContext): LightView {
  const tryRender = ({ parts }: Template): string =>
    parts
      .map((part) => {
        if (part.type === 'text') return part.text
        try {
          return v(part.expression)
        } catch {
          return `{{${part.expression}}}`
        }
      })
      .join('')
  const variables = { tryRender, load: async () => undefined }
  return {
    view: (written, sent) => {
      const request = nodesOf(written)
      const context = { request, variables } as unknown as RequestContext
      return requestView(context, sent === undefined ? undefined : preparedOf(written, sent))
    },
  }
}

function nodesOf({ method, url, headers = [], body = [] }: WrittenRequest): Request {
  const fields = headers.map(([name, value]) => ({ name: parseTemplate(name), value: parseTemplate(value) }))
  return {
    line: { method, target: parseTemplate(url) },
    headers: fields,
    body: body.map(bodyNode),
  } as unknown as Request
}

function bodyNode(part: LoadBodyPart): unknown {
  if (typeof part === 'string') return { kind: 'body-text', template: parseTemplate(part) }
  const { file, replacesVariables = false, charset } = part
  return { kind: 'body-file', path: parseTemplate(file), substitutes: replacesVariables, charset }
}

function preparedOf({ url, tags = [] }: WrittenRequest, { request, target, round }: SentRequest): PreparedRequest {
  const sentTo = requestAddress(target === '' ? url : target, undefined, !tags.includes('no-auto-encoding')).url
  return {
    message: { headers: requestFields(request.headers), target: sentTo },
    bodyText: typeof request.body === 'string' ? request.body : '',
    iteration: round,
    templateValues: [],
  } as unknown as PreparedRequest
}
