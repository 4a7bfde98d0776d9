/**
 * Reloads pages in browsers when a served file changes (`--live`).
 *
 * Rules: HTML that a browser opens as a page gets one more line at its end: a script of the same origin, so that a
 * policy of `script-src 'self'; connect-src 'self'` allows it. All other answers are unchanged; a page and its original
 * file never have the same entity tag. The script listens to a stream of server-sent events below the reserved path
 * `/.httpcli/`. Each event has the version of the tree and the version of its style sheets. A page reloads when the
 * version of the tree differs from its own, so no change is missed while a connection is down. If only the style sheets
 * changed, it reloads them and keeps its state; a page without linked style sheets, or with style sheets loaded by
 * other means, reloads as a whole. A hidden page does not listen: browsers open only six connections to a server.
 * WHATWG HTML section 9.2 (server-sent events).
 */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Answer } from '../semantics/answer.ts'
import { StreamBody } from '../semantics/answer-body.ts'
import type { Rewrite, ServerRequest } from '../semantics/hooks.ts'
import { acceptsHtmlByName } from '../semantics/negotiation.ts'
import { splitTarget } from '../semantics/url-path.ts'
import type { WatchedChange } from './directory-watch.ts'

/** Shorter than the idle time that proxies, and the server's limit for slow readers, allow on a stream. */
const heartbeatMs = 15_000

/** A listener with more queued bytes than this has stopped reading. */
const maximumQueuedBytes = 16_384

export interface LiveReloadSettings {
  /** Path in URLs under which the directory appears, such as `/api`; empty at the root. */
  readonly prefix: string
  /** Differs between two starts of the server. Default: random. */
  readonly instance?: string
}

export class LiveReload {
  readonly scriptPath: string
  readonly rewrite: Rewrite
  readonly #streamPath: string
  readonly #instance: string
  readonly #listeners = new Set<Readable>()
  readonly #heartbeat: NodeJS.Timeout
  #version = 1
  #stylesVersion = 1

  constructor({ prefix, instance = randomBytes(6).toString('hex') }: LiveReloadSettings) {
    this.#streamPath = `${prefix}/.httpcli/live`
    this.scriptPath = `${this.#streamPath}.js`
    this.#instance = instance
    this.rewrite = createRewrite(this.scriptPath)
    this.#heartbeat = setInterval(() => this.#broadcast(':\n\n'), heartbeatMs)
    this.#heartbeat.unref()
  }

  /** The step that answers for the two reserved paths. */
  readonly answer = (request: ServerRequest): Answer | undefined => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const target = splitTarget(request.target)
    if (typeof target === 'string') return undefined
    if (target.path === this.scriptPath) return this.#script()
    return target.path === this.#streamPath ? this.#stream() : undefined
  }

  /** Call this when a file changed: every listening page reloads itself or its style sheets. */
  readonly reload = ({ isOfStyles }: WatchedChange): void => {
    if (isOfStyles) this.#stylesVersion += 1
    else this.#version += 1
    this.#broadcast(this.#event())
  }

  /** Ends the streams, so that the server can end. Pages reconnect once a server is running. */
  close(): void {
    clearInterval(this.#heartbeat)
    for (const listener of this.#listeners) listener.push(null)
  }

  #event(): string {
    return `data: ${this.#versions()}\n\n`
  }

  #versions(): string {
    return `${this.#instance}-${this.#version} ${this.#stylesVersion}`
  }

  #broadcast(text: string): void {
    for (const listener of this.#listeners) {
      listener.push(text)
      if (listener.readableLength > maximumQueuedBytes) listener.destroy()
    }
  }

  #script(): Answer {
    const fields = [['Content-Type', 'text/javascript; charset=utf-8'] as const, ['Cache-Control', 'no-store'] as const]
    return { status: 200, fields, body: Buffer.from(scriptText(this.#versions())) }
  }

  #stream(): Answer {
    const stream = new Readable({ read: () => undefined })
    stream.push(`retry: 1000\n${this.#event()}`)
    this.#listeners.add(stream)
    stream.once('close', () => this.#listeners.delete(stream))
    const fields = [['Content-Type', 'text/event-stream'] as const, ['Cache-Control', 'no-store'] as const]
    return { status: 200, fields, body: new StreamBody(stream, undefined, true) }
  }
}

/** Contains the versions at the time of the request, so that a change before the stream opens is noticed as well. */
function scriptText(versions: string): string {
  return `(() => {
  let [version, styles] = '${versions}'.split(' ')
  const url = document.currentScript.src.replace(/\\.js$/, '')
  let source
  const isSheet = ({ name }) => new URL(name).pathname.endsWith('.css')
  const loadStyles = () => {
    const links = [...document.querySelectorAll('link[rel~="stylesheet"][href]')]
    const own = links.filter(({ href }) => new URL(href).origin === location.origin)
    const others = performance.getEntriesByType('resource').filter(({ initiatorType }) => initiatorType !== 'link')
    if (own.length === 0 || others.some(isSheet)) return location.reload()
    for (const link of own) {
      const next = link.cloneNode()
      const address = new URL(link.href)
      address.searchParams.set('httpcli-live', styles)
      next.href = address
      next.onload = next.onerror = () => link.remove()
      link.after(next)
    }
  }
  const listen = () => {
    source = new EventSource(url)
    source.onmessage = (event) => {
      const [latest, latestStyles] = event.data.split(' ')
      if (latest !== version) return location.reload()
      if (latestStyles === styles) return
      styles = latestStyles
      loadStyles()
    }
  }
  const follow = () => {
    source?.close()
    if (document.visibilityState === 'visible') listen()
  }
  document.addEventListener('visibilitychange', follow)
  follow()
})()
`
}

function createRewrite(scriptPath: string): Rewrite {
  // HTML parsers move content after the end tags into the body.
  const line = Buffer.from(`\n<script src="${scriptPath}" async></script>\n`)
  return {
    tag: 'live',
    appliesTo: (request, mediaType) => /^text\/html[ \t]*(?:;|$)/i.test(mediaType) && isPage(request),
    rewrite: (content) => (isWide(content) ? content : Buffer.concat([content, line])),
  }
}

/** Browsers send the destination of a request; without it, only pages are requested as HTML by name. */
function isPage(request: ServerRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const destination = request.get('sec-fetch-dest')
  if (destination === undefined) return acceptsHtmlByName(request.get('accept'))
  return destination === 'document' || destination === 'iframe' || destination === 'frame'
}

/** Detects UTF-16 by its byte order mark: the added line, which is UTF-8, would be garbage in it. */
function isWide(content: Uint8Array): boolean {
  return (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff)
}
