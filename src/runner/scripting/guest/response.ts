/**
 * `response`: the answer as a handler sees it.
 *
 * Rules: the head is fetched once, the body on first use. JSON is parsed, XML and HTML become a document, a stream can
 * be listened to, and everything else is text; so are JSON and XML that cannot be parsed. A line of JSON is its object.
 */
import { ask } from './host.ts'
import { library } from './libraries.ts'
import { askLater } from './timers.ts'

const { freeze, defineProperty } = Object
const { parse, stringify } = JSON
const { TypeError: TypeErrorClass } = globalThis
const { String: text } = globalThis
const lower = (name: unknown): string => text(name).toLowerCase()

interface Head {
  readonly status: number
  readonly mimeType: string
  readonly charset: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly stream: 'lines' | 'messages' | null
}

interface Cookie {
  readonly name: string
  readonly expiresAt: unknown
}

const jsonType = /^(?:application|text)\/(?:[\w.+-]*\+)?json$/
const xmlType = /^(?:(?:application|text)\/xml|[\w.-]+\/[\w.-]+\+xml)$/
const htmlType = /^(?:text\/html|application\/xhtml\+xml)$/

let known: { readonly head: Head; isRead: boolean; body: unknown } | undefined

function state(): NonNullable<typeof known> {
  known ??= { head: ask('response-head') as Head, isRead: false, body: undefined }
  return known
}

function bodyOf(head: Head): unknown {
  if (head.stream !== null) return streamFace(head.stream, head.mimeType)
  const content = ask('response-body') as string
  try {
    if (jsonType.test(head.mimeType)) return parse(content)
    if (htmlType.test(head.mimeType)) return library('document').parseHtml(content)
    if (xmlType.test(head.mimeType)) return library('document').parseXml(content)
  } catch {
    // A script can still test the status and log the text that arrived.
  }
  return content
}

function valuesOf(name: unknown): string[] {
  const wanted = lower(name)
  const { headers } = state().head
  return headers.filter((field) => lower(field[0]) === wanted).map((field) => field[1])
}

function cookies(): Cookie[] {
  const list = ask('response-cookies') as Cookie[]
  return list.map((cookie) =>
    freeze({ ...cookie, expiresAt: cookie.expiresAt === null ? null : new Date(cookie.expiresAt as number) }),
  )
}

/** `cookies()`, and also `cookies[0]` and `cookies.length` for scripts that expect a property; as JSON, the list. */
const cookiesFace: unknown = new Proxy(cookies, {
  get(_target, name) {
    if (name === 'toJSON') return cookies
    if (name === 'toString') return () => stringify(cookies())
    const list = cookies() as unknown as Record<PropertyKey, unknown>
    const value = list[name]
    return typeof value === 'function' ? value.bind(list) : value
  },
})

/** Delivers the remaining pieces in order; the next one is requested after this one has been handled. */
function listen(
  onPiece: unknown,
  onFinish: unknown,
  extra: readonly unknown[],
  read: (piece: unknown) => unknown,
): Promise<void> {
  if (typeof onPiece !== 'function') throw new TypeErrorClass('a stream needs a function for its pieces')
  let isDone = false
  const unsubscribe = (): void => {
    if (isDone) return
    isDone = true
    ask('stream-close')
  }
  const next = async (): Promise<void> => {
    for (let piece = await askLater('stream-next'); piece !== undefined; piece = await askLater('stream-next')) {
      await onPiece(read(piece), unsubscribe, ...extra)
      if (isDone) break
    }
    if (typeof onFinish === 'function') await onFinish()
  }
  return next()
}

/** The object of a line of JSON. As a text it is the line, for scripts that parse it. */
function objectOf(line: unknown): unknown {
  let value: unknown
  try {
    value = parse(text(line))
  } catch {
    return line
  }
  return typeof value === 'object' && value !== null ? defineProperty(value, 'toString', { value: () => line }) : line
}

function streamFace(kind: 'lines' | 'messages', mimeType: string): unknown {
  const output = (message: unknown): void => {
    ask('stream-send', typeof message === 'string' ? message : JSON.stringify(message))
  }
  const hasJsonLines = kind === 'lines' && mimeType !== 'text/event-stream'
  const onPiece = (onEach: unknown, onFinish?: unknown): Promise<void> =>
    listen(onEach, onFinish, kind === 'messages' ? [output] : [], hasJsonLines ? objectOf : (piece) => piece)
  return freeze({ onEachLine: onPiece, onEachMessage: onPiece, toString: () => '[a stream]' })
}

export const response: object = freeze({
  get status() {
    return state().head.status
  },
  get contentType() {
    const { mimeType, charset } = state().head
    return freeze({ mimeType, charset })
  },
  headers: freeze({ valueOf: (name: unknown) => valuesOf(name)[0] ?? null, valuesOf }),
  get body() {
    const current = state()
    if (!current.isRead) {
      current.body = bodyOf(current.head)
      current.isRead = true
    }
    return current.body
  },
  text() {
    const { stream } = state().head
    if (stream !== null) throw new TypeErrorClass('a stream has no text: use response.body.onEachLine or onEachMessage')
    return ask('response-body')
  },
  cookies: cookiesFace,
  cookiesByName: (name: unknown) => cookies().filter((cookie) => cookie.name === text(name)),
})

/** The next script may see another response. */
export function forgetResponse(): void {
  known = undefined
}
