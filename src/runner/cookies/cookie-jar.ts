/**
 * The cookies of a run, sent and stored by the rules of RFC 6265.
 *
 * Rules: without a file they last as long as the run. The file is read before anything is sent and replaced as a whole
 * when the run ends, even after a failure or an interrupt. An invalid line is a warning and stays in the file; a file
 * without a single valid line is not a jar: it is an error, and stays unchanged. A cookie that a server must not set is
 * ignored, by RFC 6265 section 5.3 and cookie-rules.ts. The library that implements these rules is loaded with the
 * first cookie.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie'
import type { HeaderList, HttpcliError, HttpRequest } from '../../message/index.ts'
import { unreadableFile } from '../../message-node/index.ts'
import { collectCookieFile, type SecretSink } from '../../secrets/index.ts'
import { InvalidFileError, RunError } from '../base/errors.ts'
import { type JarCookie, type ParsedCookieFile, parseCookieFile, printCookieFile } from './cookie-file.ts'
import { checkedField, expiryOf, LATEST_EXPIRY_MS, shownName } from './cookie-rules.ts'
import { makeCookieStore } from './cookie-store.ts'

/** The maximum number of cookies kept from servers, as in the editor. Those of the file are additional. */
const MAX_SET_COOKIES = 300

/**
 * The maximum for one site, including cookies of the file: a site must not be able to evict the cookies of all others.
 */
const MAX_SITE_COOKIES = 180

/**
 * The maximum size that the jar adds to one request. More than any server accepts, and less than 180 cookies of 4 KiB.
 */
const MAX_FIELD_BYTES = 64 * 1024

/** Readable and writable only by the owner: cookies are credentials. */
const NEW_FILE_MODE = 0o600

type Library = typeof import('tough-cookie')

interface OpenJar {
  readonly jar: CookieJar
  readonly store: MemoryCookieStore
  readonly library: Library
}

interface JarFile extends Omit<ParsedCookieFile, 'errors'> {
  readonly warnings: readonly HttpcliError[]
}

/** The cookies that the jar adds to a request. */
export interface SentPairs {
  /** `name=value`, in the order of RFC 6265 section 5.4. */
  readonly pairs: readonly string[]
  /** The number of cookies left out because the field is full. */
  readonly leftOut: number
}

const noPairs: SentPairs = { pairs: [], leftOut: 0 }

/** Receives what happens to cookies that are not sent or not stored. */
export type WarnOfCookie = (message: string) => void | Promise<void>

export class RunCookies {
  readonly #path: string | undefined
  readonly #fromFile: readonly JarCookie[]
  readonly #nowMs: () => number
  /** One for all callers: jobs that share the jar may need it at the same time. */
  #opening: Promise<OpenJar> | undefined
  /** Cookies set by servers, oldest first: `domain path name`. */
  readonly #set: Map<string, Cookie> = new Map()
  /** All cookies by their site, oldest first. */
  readonly #sites: Map<string, Map<string, Cookie>> = new Map()
  readonly #unreadLines: readonly string[]
  /** Invalid lines of the file. */
  readonly warnings: readonly HttpcliError[]

  private constructor(path: string | undefined, nowMs: () => number, found?: JarFile) {
    this.#path = path
    this.#nowMs = nowMs
    this.#fromFile = found?.cookies ?? []
    this.#unreadLines = found?.unreadLines ?? []
    this.warnings = found?.warnings ?? []
  }

  /**
   * @param path as the user knows it; undefined: the cookies end with the run
   * @param directory base of a relative path
   * @param nowMs the time, in milliseconds since 1970
   * @param secrets receives the values of cookies, before an error can show them
   * @throws InvalidFileError; HttpcliError `unreadable-file`.
   */
  static read(path: string | undefined, directory: string, nowMs: () => number, secrets?: SecretSink): RunCookies {
    if (path === undefined) return new RunCookies(undefined, nowMs)
    const absolute = resolve(directory, path)
    const text = readJar(absolute, path)
    if (secrets !== undefined) collectCookieFile(text, secrets)
    const { cookies, errors, unreadLines } = parseCookieFile(text)
    if (errors.length === 0) return new RunCookies(absolute, nowMs, { cookies, unreadLines, warnings: [] })
    const invalid = new InvalidFileError('invalid-cookie-jar', { path, text }, errors)
    if (cookies.length === 0 && !isJar(text)) throw invalid
    return new RunCookies(absolute, nowMs, { cookies, unreadLines, warnings: invalid.errors })
  }

  /** Whether no cookie was read or stored. */
  get isEmpty(): boolean {
    return this.#opening === undefined && this.#fromFile.length === 0
  }

  /** The pairs of the Cookie field for a URL, and the number of pairs that exceed the size of one field. */
  async pairsFor(url: URL): Promise<SentPairs> {
    if (this.isEmpty) return noPairs
    const { jar } = await this.#jar()
    // With `expire`, the library would read the system clock.
    const cookies = jar.getCookiesSync(addressOf(url), { expire: false, sort: true })
    const all = cookies
      .filter((cookie) => (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) > this.#nowMs())
      .map((cookie) => cookie.cookieString())
    let sizeBytes = 0
    const pairs = all.filter((pair) => {
      sizeBytes += pair.length + '; '.length
      return sizeBytes <= MAX_FIELD_BYTES
    })
    return { pairs, leftOut: all.length - pairs.length }
  }

  /** The request with the cookies that it does not name, then its own. */
  async addTo(request: HttpRequest, url: URL, warn?: WarnOfCookie): Promise<HttpRequest> {
    const { pairs, leftOut } = await this.pairsFor(url)
    if (leftOut > 0) await warn?.(`${leftOut} cookies for ${url.host} are too large for one field and are not sent`)
    if (pairs.length === 0) return request
    const written = request.headers.all('cookie')
    const names = new Set(written.flatMap((field) => field.split(';')).map(cookieName))
    const added = pairs.filter((pair) => !names.has(cookieName(pair)))
    return added.length === 0 ? request : request.withHeader('Cookie', [...added, ...written].join('; '))
  }

  /** Stores the cookies of a response, and deletes those that it expires. @returns the names of both */
  async store(url: URL, headers: HeaderList, warn?: WarnOfCookie): Promise<readonly string[]> {
    const names: string[] = []
    for (const field of headers.all('set-cookie')) {
      const checked = checkedField(field, url)
      const name = 'field' in checked ? await this.#take(checked.field, url) : undefined
      if (name !== undefined) names.push(name)
      if ('problem' in checked)
        await warn?.(`${url.host} set the cookie ${shownName(field)}: ${checked.problem}; it was ignored`)
    }
    return names
  }

  /** Undefined if the cookie is refused. */
  async #take(field: string, url: URL): Promise<string | undefined> {
    const open = await this.#jar()
    const { jar, store, library } = open
    const address = addressOf(url)
    const parsed = library.Cookie.parse(field)
    if (parsed === undefined) return undefined
    // RFC 6265 section 5.3, step 5: a host that is a public suffix may set cookies for itself alone.
    const { hostname } = address
    const isSuffix = library.getPublicSuffix(hostname, { ignoreError: true }) === undefined
    if (parsed.domain === hostname && isSuffix) parsed.domain = null
    // The library accepts localhost as the domain of the hosts below it.
    if (parsed.domain === 'localhost' && hostname !== 'localhost') return undefined
    // RFC 6265bis section 5.7: a cookie set over http never replaces one that is sent over https only.
    if (url.protocol === 'http:') {
      const newPath = parsed.path ?? library.defaultPath(url.pathname)
      const secureAddress = new URL(address)
      secureAddress.protocol = 'https:'
      const known = jar.getCookiesSync(secureAddress, { expire: false, allPaths: true })
      const isHidden = ({ key, path, secure }: Cookie): boolean =>
        secure && key === parsed.key && library.pathMatch(newPath, path ?? '/')
      if (known.some(isHidden)) return undefined
    }
    const nowMs = this.#nowMs()
    const expiryMs = expiryOf(parsed, nowMs)
    parsed.maxAge = null
    parsed.expires = expiryMs === undefined ? 'Infinity' : new Date(expiryMs)
    const cookie = jar.setCookieSync(parsed, address, { ignoreError: true, now: new Date(nowMs) })
    if (cookie !== undefined) this.#remember(cookie, store, library)
    return cookie?.key
  }

  /** Writes the file, if there is one. @throws HttpcliError `output-failed` */
  async save(): Promise<void> {
    if (this.#path === undefined) return
    const { FileOutput } = await import('../../message-node/index.ts')
    const open = await this.#opening
    const held = (await open?.store.getAllCookies())?.map(heldCookie) ?? this.#fromFile
    const text = printCookieFile(unexpired(held, this.#nowMs()), this.#unreadLines)
    const file = await FileOutput.open(this.#path, { mode: NEW_FILE_MODE })
    try {
      await file.write(Buffer.from(text, 'latin1'))
      await file.complete()
    } finally {
      await file.discard()
    }
  }

  #remember(cookie: Cookie, store: MemoryCookieStore, library: Library): void {
    const key = keyOf(cookie)
    this.#set.delete(key)
    this.#set.set(key, cookie)
    const ofSite = this.#rememberOfSite(cookie, library)
    if (ofSite.size > MAX_SITE_COOKIES) this.#forget(oldestOf(ofSite), store, library)
    if (this.#set.size > MAX_SET_COOKIES) this.#forget(oldestOf(this.#set), store, library)
  }

  #rememberOfSite(cookie: Cookie, library: Library): Map<string, Cookie> {
    const site = siteOf(cookie, library)
    const ofSite = this.#sites.get(site) ?? new Map<string, Cookie>()
    this.#sites.set(site, ofSite)
    ofSite.delete(keyOf(cookie))
    return ofSite.set(keyOf(cookie), cookie)
  }

  #forget(cookie: Cookie, store: MemoryCookieStore, library: Library): void {
    this.#set.delete(keyOf(cookie))
    this.#sites.get(siteOf(cookie, library))?.delete(keyOf(cookie))
    void store.removeCookie(cookie.domain ?? '', cookie.path ?? '/', cookie.key)
  }

  #jar(): Promise<OpenJar> {
    this.#opening ??= this.#openJar()
    return this.#opening
  }

  async #openJar(): Promise<OpenJar> {
    const library = await import('tough-cookie')
    const store = makeCookieStore(library)
    // RFC 6265: Secure restricts sending; only the scheme decides whether a request is secure, even to this machine.
    const options = { allowSecureOnLocal: false, enforceSecureOriginOnStorage: false }
    const jar = new library.CookieJar(store, options)
    for (const known of unexpired(this.#fromFile, this.#nowMs())) {
      const cookie = cookieOf(known, library, new Date(this.#nowMs()))
      void store.putCookie(cookie)
      this.#rememberOfSite(cookie, library)
    }
    return { jar, store, library }
  }
}

function readJar(path: string, shownPath: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  // No device has cookies, but some have no end.
  if (stats?.isCharacterDevice() === true) return ''
  // Reading would wait for a writer, and the cookies could not be written back.
  if (stats?.isFIFO() === true) {
    throw new RunError('unreadable-file', `the cookie jar ${shownPath} is a named pipe, expected a file`)
  }
  try {
    return readFileSync(path, 'latin1')
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    if (isMissing && statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) return ''
    const what = isMissing ? `the directory of the cookie jar ${shownPath}` : `the cookie jar ${shownPath}`
    throw new RunError('unreadable-file', ...unreadableFile(what, cause))
  }
}

/** Whether the first line marks a jar, as curl, wget, browsers and this program write it. */
function isJar(text: string): boolean {
  return /^# (?:Netscape )?HTTP Cookie File/i.test(text)
}

function keyOf({ domain, path, key }: Cookie): string {
  return [domain, path, key].join('\t')
}

/** The registered domain of a name; the host itself if none is known, as for an address. */
function siteOf({ domain }: Cookie, { getPublicSuffix }: Library): string {
  return getPublicSuffix(domain ?? '', { ignoreError: true }) ?? domain ?? ''
}

function cookieName(pair: string): string {
  return (pair.split('=')[0] as string).trim()
}

function oldestOf(cookies: ReadonlyMap<string, Cookie>): Cookie {
  const [oldest] = cookies.values()
  return oldest as Cookie
}

/**
 * The address for the library. `example.org.` and `example.org` are the same host. The library decodes the escapes of
 * the path once, which RFC 6265 section 5.1.4 compares as they are; a decoded line end would begin a line of the file.
 */
function addressOf(url: URL): URL {
  const address = new URL(url)
  address.hostname = url.hostname.replace(/\.$/, '')
  address.pathname = url.pathname.replaceAll('%', '%25')
  return address
}

function unexpired(cookies: readonly JarCookie[], nowMs: number): readonly JarCookie[] {
  return cookies.filter(({ expiresAtS }) => expiresAtS === undefined || expiresAtS * 1000 > nowMs)
}

function cookieOf(cookie: JarCookie, { Cookie }: Library, now: Date): Cookie {
  const { domain, isHostOnly, path, isSecure, isHttpOnly, name, value, expiresAtS } = cookie
  return new Cookie({
    key: name,
    value,
    domain,
    path,
    hostOnly: isHostOnly,
    pathIsDefault: false,
    secure: isSecure,
    httpOnly: isHttpOnly,
    expires: expiresAtS === undefined ? 'Infinity' : new Date(Math.min(expiresAtS * 1000, LATEST_EXPIRY_MS)),
    creation: now,
    lastAccessed: now,
  })
}

function heldCookie(cookie: Cookie): JarCookie {
  const expiryMs = cookie.expiryTime()
  return {
    domain: cookie.domain ?? '',
    isHostOnly: cookie.hostOnly === true,
    path: cookie.path ?? '/',
    isSecure: cookie.secure,
    isHttpOnly: cookie.httpOnly,
    name: cookie.key,
    value: cookie.value,
    expiresAtS: expiryMs === undefined || !Number.isFinite(expiryMs) ? undefined : Math.floor(expiryMs / 1000),
  }
}
