/** What an exported script passes for each request. */
import type { K6Jar, K6Response } from '../k6.ts'

/** Decide whether assertions pass, by their names in reports. For any value but a function, k6 creates a constructor. */
export type LightChecks = Readonly<Record<string, (response: K6Response) => unknown>>

/** Keeps the response, and evaluates captures. */
export type LightCaptures = (response: K6Response) => void

/** A part of a body: a typed text or that of a file, both with variables, or the bytes of a file. */
export type LightContent = string | { readonly template: string } | ArrayBuffer

/** Parameters of k6 with method, URL and body. */
export interface LightRequest {
  /** GET if undefined. */
  readonly method?: string
  readonly url: string
  readonly headers: Record<string, string>
  body?: string | ArrayBuffer
  /** In place of the body, if it cannot be made before the headers are known. */
  readonly contents?: readonly LightContent[]
  readonly isGraphql?: true
  /** Whether a form is sent as typed. */
  readonly keepsForm?: true
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
