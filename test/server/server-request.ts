/** A request as the steps of the server see it, without a server. */
import type { ServerRequest } from '../../src/server/semantics/hooks.ts'

/** `fields`: by lower-case name. */
export function requestFor(
  target: string,
  fields: Readonly<Record<string, string>> = {},
  method: string = 'GET',
): ServerRequest {
  return { method, target, get: (name) => fields[name] }
}
