/** What an exported script passes for each request. */
import type { K6Jar, K6Response } from '../k6.ts'

/** Evaluates captures, and returns whether each assertion passes, by its name in reports. */
export type LightChecks = (response: K6Response) => Record<string, boolean> | undefined

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
