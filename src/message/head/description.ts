/**
 * Heads and messages for JSON and for `console.log`: their parts are getters, which neither of these shows.
 *
 * Rules: plain values only. Only the kind of a body is shown: it may be large, or not read yet. The inspection symbol
 * of Node.js is looked up in the symbol registry, so nothing has to be imported.
 */
import type { HttpVersion } from '../syntax/start-line.ts'
import type { Framing } from './framing.ts'
import type { HeaderList } from './headers.ts'

/** The description of every head and message. */
interface Description {
  readonly version: HttpVersion
  /** Name and value of each field line, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** How the end of the content is found; null if the message has no content. */
  readonly framing: Framing | null
}

/** A request or its head as plain values. */
export interface RequestDescription extends Description {
  readonly method: string
  readonly target: string
}

/** A response or its head as plain values. */
export interface ResponseDescription extends Description {
  readonly status: number
  readonly reason: string
}

interface DescribedHead {
  readonly version: HttpVersion
  readonly headers: HeaderList
  readonly framing: Framing | undefined
}

/** The common part of requests and responses. @internal */
export function describeHead({ version, headers, framing }: DescribedHead): Description {
  return { version, headers: headers.toJSON(), framing: framing ?? null }
}

/** The key of a method whose result Node.js, Deno and Bun print. @internal */
export const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never

/** The arguments that Node.js passes to such a method. @internal */
export type Inspect = (value: unknown, options: unknown) => string

/** `HttpRequest { method: 'GET', ... }`, with the platform's own printing of the values. @internal */
export function inspected(name: string, description: object, options: unknown, inspect: Inspect): string {
  return `${name} ${inspect(description, options)}`
}
