/** What an exported script passes for each request. */
import type { K6Jar, K6Response } from '../k6.ts'

/** Decide whether assertions pass, by their names in reports. For other values, k6 would create their constructors. */
export type LightChecks = Readonly<Record<string, (response: K6Response) => unknown>>

/** Keeps the response, and evaluates captures. */
export type LightCaptures = (response: K6Response) => void

/** Parameters of k6 with method, URL and body. */
export interface LightRequest {
  /** GET if undefined. */
  readonly method?: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string | ArrayBuffer
  /** Undefined if no check reads the body of the response. */
  readonly responseType?: 'binary'
  /** In milliseconds. */
  readonly timeout?: number
  readonly allowsRedirects?: false
  readonly hasCookieJar?: false
  /** The cookies of k6 have to be merged into it. */
  readonly hasCookieField?: boolean
  tags?: object
  jar?: K6Jar
}
