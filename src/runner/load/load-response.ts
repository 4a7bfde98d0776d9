/**
 * Converts responses of k6 for assertions and scripts.
 *
 * Rules: the certificate of a server is unknown.
 */
import type { CheckedResponse } from '../assertions/checked-response.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import { requestView } from '../request/request-view.ts'
import type { ScriptScene, ScriptStream } from '../scripting/operations/script-scene.ts'
import { scriptVariables } from '../variables/variable-scopes.ts'
import { scriptCookie } from './light/scripts/script-response.ts'
import { headersOf, type LoadAnswer } from './load-client.ts'

/** @param prepared the request as sent; undefined before */
export function sceneOf(
  { loaded, variables, request }: RequestContext,
  prepared: PreparedRequest | undefined,
): ScriptScene {
  const step = { loaded, variables, request } as RequestContext
  return {
    identity: undefined as never,
    source: loaded.source,
    path: loaded.path,
    common: [],
    variables: scriptVariables(variables),
    request: requestView(step, prepared),
  }
}

export function handlerScene(
  step: RequestContext,
  prepared: PreparedRequest,
  { request }: Pick<LoadAnswer, 'request'>,
  { status, headers, content }: Pick<CheckedResponse, 'status' | 'headers' | 'content'>,
  stream: ScriptStream | undefined,
): ScriptScene {
  const { hostname } = request.url as URL
  const response = {
    status,
    headers: [...headers],
    body: () => content,
    cookies: headers.all('set-cookie').map((field) => scriptCookie(field, hostname)),
    ...(stream === undefined ? {} : { stream }),
  }
  return { ...sceneOf(step, prepared), response } as ScriptScene
}

export function checkedResponse({ response, request, locations, durationMs }: LoadAnswer): CheckedResponse {
  const { status, status_text: text, proto, remote_ip: address, remote_port: port, body } = response
  const headers = headersOf(response)
  const content = new Uint8Array(body ?? new ArrayBuffer(0))
  const isCoded = headers.has('content-encoding')
  const length = Number(headers.first('content-length') ?? Number.NaN)
  return {
    version: proto === 'HTTP/2.0' ? 'HTTP/2' : proto,
    status,
    reason: text.replace(/^\d+ ?/, ''),
    headers,
    url: String(request.url),
    remote: { address, port } as CheckedResponse['remote'],
    locations,
    durationMs,
    sizeBytes: isCoded && Number.isFinite(length) ? length : content.length,
    certificate: undefined,
    content,
  }
}
