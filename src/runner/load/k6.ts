/** The parts of k6's modules that the runtime uses: https://grafana.com/docs/k6/latest/javascript-api/. Types only. */
import type { JsonValue } from '../../http-file/index.ts'
import type { LightChecks } from './light/light-request.ts'

/** A response of k6/http. Header names have Go's spelling; fields of the same name are joined by a comma. */
export interface K6Response {
  /** 0 if there was no response. */
  readonly status: number
  /** `200 OK` */
  readonly status_text: string
  /** `HTTP/1.1`, `HTTP/2.0` */
  readonly proto: string
  readonly error: string
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, readonly K6Cookie[]>>
  /** Content codings decoded; null if the body was not kept. */
  readonly body: ArrayBuffer | null
  /** The body as JSON, in values of Go. @throws Error */
  json(): JsonValue
  readonly remote_ip: string
  readonly remote_port: number
  /** In milliseconds. */
  readonly timings: { readonly duration: number; readonly blocked: number }
}

export interface K6Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly http_only: boolean
  readonly secure: boolean
  readonly max_age: number
  /** Milliseconds since 1970; 0 or less: none. */
  readonly expires: number
}

export interface K6Jar {
  cookiesForURL(url: string): Readonly<Record<string, readonly string[]>>
  set(url: string, name: string, value: string, options: object): unknown
}

export interface K6Http {
  request(method: string, url: string, body: string | ArrayBuffer | null, params: object): K6Response
  readonly CookieJar: new () => K6Jar
  /** The jar of the iteration. */
  cookieJar(): K6Jar
}

/** An object of k6/crypto that takes data in pieces. */
export interface K6Hasher {
  update(data: string | ArrayBuffer): void
  digest(encoding: 'hex'): string
}

export interface K6Crypto {
  createHash(algorithm: string): K6Hasher
  createHMAC(algorithm: string, secret: string | ArrayBuffer): K6Hasher
  randomBytes(count: number): ArrayBuffer
}

export interface K6Socket {
  onopen: (() => void) | undefined
  onmessage: ((event: { readonly data: string | ArrayBuffer }) => void) | undefined
  onerror: ((event: { readonly error: string }) => void) | undefined
  onclose: ((event: { readonly code?: number; readonly reason?: string }) => void) | undefined
  binaryType: string
  send(data: string | ArrayBuffer): void
  close(code?: number): void
}

export type K6WebSocket = new (url: string, protocols: string | readonly string[] | null, params: object) => K6Socket

/** The modules that a k6 script imports and passes in. */
export interface K6Modules {
  readonly http: K6Http
  /** Undefined in a light script without dynamic values and digests. */
  readonly crypto?: K6Crypto
  readonly check: (value: unknown, checks: LightChecks | Readonly<Record<string, boolean>>, tags: object) => boolean
  /** Counts requests that were not sent or answered, and scripts that failed. */
  readonly errors: { add(count: number, tags: object): void }
  /** Undefined without rows. */
  readonly exec?: { readonly scenario: { readonly iterationInTest: number } }
  /** A function, because a copy of k6's environment would stay in memory. */
  readonly environment: () => Readonly<Record<string, string | undefined>>
  /** Undefined unless a request needs it. */
  readonly WebSocket?: K6WebSocket | undefined
}
