/**
 * The folders and requests of an Insomnia export of format 4, a list in which each item names its parent, or 5, a tree.
 *
 * Rules: siblings are ordered by their sort key. Items whose folders form a cycle are reported as lost. Not recursive:
 * a tree may be as deep as its document.
 */
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../draft/document.ts'

/** A folder or a request, with its enclosing folders. */
export interface InsomniaItem {
  /** Its path in the document, for losses. */
  readonly path: string
  readonly item: JsonObject
  readonly names: readonly string[]
  /** Folders, from the outside in. */
  readonly around: readonly JsonObject[]
}

export interface InsomniaTree {
  readonly title: string
  readonly description: string
  readonly requests: readonly InsomniaItem[]
  /** The base environments, each with its sub-environments. */
  readonly environments: readonly { readonly base: JsonObject; readonly inner: readonly JsonObject[] }[]
  /** Items that cannot become a request: path and kind. */
  readonly others: readonly { readonly path: string; readonly message: string }[]
}

interface Entry {
  readonly path: string
  readonly item: JsonObject
}

interface Pending extends Entry {
  readonly names: readonly string[]
  readonly around: readonly JsonObject[]
}

const requestTypes: ReadonlySet<string> = new Set(['request', 'grpc_request', 'websocket_request', 'socketio_request'])
const otherTypes: Readonly<Record<string, string>> = {
  grpc_request: 'a gRPC request',
  websocket_request: 'a WebSocket request',
  socketio_request: 'a Socket.IO request',
  unit_test: 'a unit test',
  api_spec: 'an API specification: convert it separately',
  mock_route: 'a route of a mock server',
}
/** Types without content that a request file could have, or whose content belongs to another entry. */
const silentTypes: ReadonlySet<string> = new Set([
  ...['workspace', 'environment', 'request', 'request_group', 'api_spec', 'unit_test_suite', 'mock'],
  ...['websocket_payload', 'socketio_payload', 'proto_file', 'proto_directory', 'runner_test_result'],
])

/** @param root with `resources` */
export function treeOfResources(root: JsonObject): InsomniaTree {
  const entries = objectsOf(root.resources).map((item, index) => ({ path: `resources[${index}]`, item }))
  const ofType = (type: string): readonly Entry[] => entries.filter(({ item }) => item._type === type)
  const children = new Map<string, Entry[]>()
  for (const entry of entries) {
    const parent = textOf(entry.item.parentId)
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [entry])
    else siblings.push(entry)
  }
  const isItem = ({ item }: Entry): boolean => item._type === 'request_group' || requestTypes.has(textOf(item._type))
  const below = ({ item }: Entry): readonly Entry[] => (children.get(textOf(item._id)) ?? []).filter(isItem)
  const known = new Set(entries.map(({ item }) => textOf(item._id)).filter((id) => id !== ''))
  const workspaces = ofType('workspace')
  const roots = entries.filter((entry) => isItem(entry) && !known.has(textOf(entry.item.parentId)))
  const tops: readonly Pending[] = [
    ...workspaces.flatMap((workspace) => {
      const names = workspaces.length === 1 ? [] : [textOf(workspace.item.name)]
      return sorted(below(workspace)).map((entry) => ({ ...entry, names, around: [] }))
    }),
    ...sorted(roots).map((entry) => ({ ...entry, names: [], around: [] })),
  ]
  const walked = walk(tops, below)
  const reached = new Set(walked.map(({ path }) => path))
  const isRequest = ({ item }: Entry): boolean => item._type === 'request'
  const lost = entries.filter((entry) => isRequest(entry) && !reached.has(entry.path))
  const environments = ofType('environment')
  const environmentIds = new Set(environments.map(({ item }) => textOf(item._id)))
  const bases = environments.filter(({ item }) => !environmentIds.has(textOf(item.parentId)))
  return {
    title: workspaces.length === 1 ? textOf(workspaces[0]?.item.name) : '',
    description: workspaces.length === 1 ? textOf(workspaces[0]?.item.description) : '',
    requests: walked.filter(isRequest),
    environments: bases.map(({ item }) => ({
      base: item,
      inner: (children.get(textOf(item._id)) ?? [])
        .map((entry) => entry.item)
        .filter((each) => each._type === 'environment'),
    })),
    others: [
      ...lost.map(({ path }) => ({ path, message: 'a request whose folders contain each other' })),
      ...entries.flatMap(({ path, item }) => otherOf(path, item)),
    ],
  }
}

function otherOf(path: string, item: JsonObject): InsomniaTree['others'] {
  const type = textOf(item._type)
  const message = Object.hasOwn(otherTypes, type) ? (otherTypes[type] as string) : undefined
  if (message !== undefined && !(type === 'api_spec' && textOf(item.contents) === '')) return [{ path, message }]
  if (type === 'cookie_jar') return cookiesOf(path, item)
  return silentTypes.has(type) ? [] : [{ path, message: `of the type "${type}"` }]
}

function cookiesOf(path: string, jar: JsonObject): InsomniaTree['others'] {
  return objectsOf(jar.cookies).length === 0 ? [] : [{ path, message: 'the cookies of the jar: give a file with -c' }]
}

/** @param root with `collection` or `environments` */
export function treeOfDocument(root: JsonObject): InsomniaTree {
  const entriesOf = (list: JsonObject[string] | undefined, path: string): readonly Entry[] =>
    objectsOf(list).map((item, index) => ({ path: `${path}[${index}]`, item }))
  const below = ({ path, item }: Entry): readonly Entry[] => entriesOf(item.children, `${path}.children`)
  const tops = sorted(entriesOf(root.collection, 'collection')).map((entry) => ({ ...entry, names: [], around: [] }))
  const walked = walk(tops, below).filter(({ item }) => item.children === undefined)
  const typeOf = ({ item }: Entry): string => {
    const [, type = ''] = /^(ws|grpc|greq|socketio)[-_]/.exec(textOf(objectOf(item.meta).id)) ?? []
    return (
      { ws: 'a WebSocket request', grpc: 'a gRPC request', greq: 'a gRPC request', socketio: 'a Socket.IO request' }[
        type
      ] ?? ''
    )
  }
  const environment = objectOf(root.environments)
  return {
    title: textOf(root.name),
    description: textOf(objectOf(root.meta).description),
    requests: walked.filter((entry) => typeOf(entry) === ''),
    environments: isObject(root.environments)
      ? [{ base: environment, inner: objectsOf(environment.subEnvironments) }]
      : objectsOf(root.environments).map((base) => ({ base, inner: objectsOf(base.subEnvironments) })),
    others: [
      ...walked.flatMap((entry) => (typeOf(entry) === '' ? [] : [{ path: entry.path, message: typeOf(entry) }])),
      ...cookiesOf('cookieJar', objectOf(root.cookieJar)),
    ],
  }
}

function walk(tops: readonly Pending[], below: (entry: Entry) => readonly Entry[]): readonly InsomniaItem[] {
  const found: InsomniaItem[] = []
  const pending = tops.toReversed()
  const seen = new Set<string>()
  while (pending.length > 0) {
    const next = pending.pop() as Pending
    if (seen.has(next.path)) continue
    seen.add(next.path)
    const names = [...next.names, textOf(next.item.name)]
    found.push({ ...next, names })
    const around = [...next.around, next.item]
    pending.push(
      ...sorted(below(next))
        .toReversed()
        .map((entry) => ({ ...entry, names, around })),
    )
  }
  return found
}

function sorted(entries: readonly Entry[]): readonly Entry[] {
  return entries.toSorted((a, b) => sortKey(a.item) - sortKey(b.item))
}

function sortKey(item: JsonObject): number {
  const key = item.metaSortKey ?? objectOf(item.meta).sortKey
  return typeof key === 'number' ? key : 0
}
