/**
 * The cookies of a run: sent where they belong, stored as servers set them (RFC 6265).
 *
 * Rules: without a file they live as long as the run. The file is read before anything is sent and replaced as a whole
 * when the run ends, however it ends; one that cannot be understood ends the run before it begins, and stays as it is.
 * A cookie that a server must not set is ignored, as RFC 6265 section 5.3 says. The library that knows the rules is
 * loaded with the first cookie.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Cookie, CookieJar, MemoryCookieStore } from 'tough-cookie'
import type { HeaderList } from '../message/index.ts'
import { HttpcliError } from '../message/index.ts'
import { type JarCookie, parseCookieFile, printCookieFile } from './cookie-file.ts'
import { InvalidFileError } from './errors.ts'
import { type SecretSink, tellCookieFile } from './secrets.ts'

/** A cookie that a response sets, as scripts see it. */
export interface ResponseCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  /** Milliseconds since 1970; undefined for a session cookie. */
  readonly expiresAt: number | undefined
  readonly secure: boolean
  readonly httpOnly: boolean
}

/** Cookies of servers that are remembered at most: as many as the editor does. Those of the file come on top. */
const MAX_SET_COOKIES = 300

/** Readable and writable by the owner alone: cookies are keys. */
const NEW_FILE_MODE = 0o600

type Library = typeof import('tough-cookie')

interface OpenJar {
  readonly jar: CookieJar
  readonly store: MemoryCookieStore
}

export class RunCookies {
  readonly #path: string | undefined
  readonly #fromFile: readonly JarCookie[]
  readonly #nowMs: () => number
  #open: OpenJar | undefined
  /** What servers set, the oldest first: `domain path name`. */
  readonly #set: Map<string, Cookie> = new Map()

  private constructor(path: string | undefined, fromFile: readonly JarCookie[], nowMs: () => number) {
    this.#path = path
    this.#fromFile = fromFile
    this.#nowMs = nowMs
  }

  /**
   * @param path as the user knows it; undefined: the cookies end with the run
   * @param directory where a relative path begins
   * @param nowMs the time, in milliseconds since 1970
   * @param secrets is told the values of cookies, before an error can show them
   * @throws InvalidFileError; HttpcliError `unreadable-file`.
   */
  static read(path: string | undefined, directory: string, nowMs: () => number, secrets?: SecretSink): RunCookies {
    if (path === undefined) return new RunCookies(undefined, [], nowMs)
    const absolute = resolve(directory, path)
    const text = readJar(absolute, path)
    if (secrets !== undefined) tellCookieFile(text, secrets)
    const { cookies, errors } = parseCookieFile(text)
    if (errors.length > 0) throw new InvalidFileError('invalid-cookie-jar', { path, text }, errors)
    return new RunCookies(absolute, cookies, nowMs)
  }

  /** The value of Cookie for a URL; undefined where nothing is to be sent. */
  async valueFor(url: URL): Promise<string | undefined> {
    if (this.#open === undefined && this.#fromFile.length === 0) return undefined
    const { jar } = await this.#jar()
    // The library would ask the clock of the system.
    const cookies = jar.getCookiesSync(withoutTrailingDot(url), { expire: false, sort: true })
    const value = cookies
      .filter((cookie) => (cookie.expiryTime() ?? Number.POSITIVE_INFINITY) > this.#nowMs())
      .map((cookie) => cookie.cookieString())
      .join('; ')
    return value === '' ? undefined : value
  }

  /** Takes the Set-Cookie fields of a response. @returns whether there were any */
  async store(url: URL, headers: HeaderList): Promise<boolean> {
    const fields = headers.all('set-cookie')
    if (fields.length === 0) return false
    const { jar, store } = await this.#jar()
    for (const field of fields) {
      const cookie = jar.setCookieSync(field, withoutTrailingDot(url), {
        ignoreError: true,
        now: new Date(this.#nowMs()),
      })
      if (cookie !== undefined) this.#remember(cookie, store)
    }
    return true
  }

  /** Writes the file, if there is one. @throws HttpcliError `output-failed` */
  async save(): Promise<void> {
    if (this.#path === undefined) return
    const { FileOutput } = await import('../message-node/index.ts')
    const held = (await this.#open?.store.getAllCookies())?.map(heldCookie) ?? this.#fromFile
    const text = printCookieFile(unexpired(held, this.#nowMs()))
    const file = await FileOutput.open(this.#path, { mode: NEW_FILE_MODE })
    try {
      await file.write(Buffer.from(text, 'latin1'))
      await file.complete()
    } finally {
      await file.discard()
    }
  }

  #remember(cookie: Cookie, store: MemoryCookieStore): void {
    const key = [cookie.domain, cookie.path, cookie.key].join('\t')
    this.#set.delete(key)
    this.#set.set(key, cookie)
    const [oldest] = this.#set
    if (this.#set.size <= MAX_SET_COOKIES || oldest === undefined) return
    this.#set.delete(oldest[0])
    const { domain, path, key: name } = oldest[1]
    void store.removeCookie(domain ?? '', path ?? '/', name)
  }

  async #jar(): Promise<OpenJar> {
    if (this.#open !== undefined) return this.#open
    const library = await import('tough-cookie')
    const store = new library.MemoryCookieStore()
    // RFC 6265: Secure is about the way back; what counts as secure is the scheme, on this machine too.
    const options = { allowSecureOnLocal: false, enforceSecureOriginOnStorage: false }
    const jar = new library.CookieJar(store, options)
    for (const cookie of unexpired(this.#fromFile, this.#nowMs()))
      void store.putCookie(cookieOf(cookie, library, new Date(this.#nowMs())))
    this.#open = { jar, store }
    return this.#open
  }
}

/** The cookies that a response sets, whether or not they are stored. */
export async function responseCookies(
  url: URL,
  headers: HeaderList,
  nowMs: number,
): Promise<readonly ResponseCookie[]> {
  const fields = headers.all('set-cookie')
  if (fields.length === 0) return []
  const { Cookie, defaultPath } = await import('tough-cookie')
  return fields.flatMap((field) => {
    const cookie = Cookie.parse(field)
    if (cookie === undefined) return []
    const expiry = cookie.expiryTime(new Date(nowMs))
    return {
      name: cookie.key,
      value: cookie.value,
      domain: cookie.domain ?? url.hostname,
      path: cookie.path ?? defaultPath(url.pathname),
      expiresAt: expiry === undefined || !Number.isFinite(expiry) ? undefined : expiry,
      secure: cookie.secure,
      httpOnly: cookie.httpOnly,
    }
  })
}

const unreadable: Readonly<Record<string, string>> = {
  EISDIR: 'is a directory, expected a file',
  EACCES: 'may not be read',
}

function readJar(path: string, shownPath: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    if (code === 'ENOENT' && statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) return ''
    const reason = code === 'ENOENT' ? 'is in a directory that does not exist' : unreadable[code]
    const message = `the cookie jar ${shownPath} ${reason ?? `cannot be read (${code})`}`
    throw new HttpcliError('unreadable-file', message, { cause })
  }
}

/** A host name with a dot at its end is the same host. */
function withoutTrailingDot(url: URL): string {
  return url.href.replace(/^([a-z]+:\/\/[^/?#:]+)\.(?=[:/?#]|$)/, '$1')
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
    expires: expiresAtS === undefined ? 'Infinity' : new Date(expiresAtS * 1000),
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
