/**
 * Members that the objects of scripts do not have but those of other tools do, and what to write instead.
 *
 * Rules: a missing member is `undefined` to a script, so the mistake shows up later, or not at all.
 */

const status = 'Write response.status.'
const body = 'Write response.body: JSON is parsed already.'
const time = 'Write "# @assert duration < 500" above the request.'
const field = 'Write response.headers.valueOf("name").'
const environment = 'Write client.variables.environment.get("name").'
const stores = 'Write client.variables.file.set("name", value), or client.global.set("name", value).'

/** By path. */
const members: Readonly<Record<string, string>> = {
  'response.code': status,
  'response.statusCode': status,
  'response.responseCode': status,
  'response.json': body,
  'response.data': body,
  'response.parsedBody': body,
  'response.time': time,
  'response.responseTime': time,
  'response.duration': time,
  'response.header': field,
  'response.getHeader': field,
  'client.env': environment,
  'client.environment': environment,
  'client.expect': 'Write client.assert(condition, "message").',
  'client.variables.get': stores,
  'client.variables.set': stores,
  'client.responses': 'Write client.global.set("name", value) in a script below that request.',
  'request.skip': 'Choose requests with --name or --tag: a script cannot skip its request.',
  'request.abort': 'Write throw new Error("reason"): the request is not sent.',
  'request.replay':
    'Write "# @retry 3" above the request, or set a variable to an array, which sends one request for each element.',
}

interface ClosedObject {
  readonly known: ReadonlySet<string>
  readonly hint: string
}

/** Objects that scripts use only by their methods: other members are fields or variables, as other tools have them. */
const closedObjects: Readonly<Record<string, ClosedObject>> = {
  'response.headers': { known: new Set(['valueOf', 'valuesOf', 'toString', 'constructor']), hint: field },
  'request.headers': {
    known: new Set(['all', 'findByName', 'toString', 'constructor']),
    hint: 'Write request.headers.findByName("name").',
  },
  'client.global': {
    known: new Set(['set', 'get', 'isEmpty', 'clear', 'clearAll', 'headers', 'toString', 'constructor']),
    hint: 'Write client.global.set("name", value), or client.global.get("name").',
  },
}

/** The objects whose members are examined. */
export const scriptObjects: ReadonlySet<string> = new Set(['client', 'request', 'response'])

/** @param path such as `response.code`; `response.headers[]` for a computed member */
export function foreignMemberHint(path: string): string | undefined {
  if (Object.hasOwn(members, path)) return members[path]
  const [, object = '', member = ''] = /^(.*?)(?:\.([^.[]*)|\[\])$/.exec(path) ?? []
  const closed = Object.hasOwn(closedObjects, object) ? closedObjects[object] : undefined
  return closed === undefined || closed.known.has(member) ? undefined : closed.hint
}
