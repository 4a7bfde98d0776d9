/**
 * The state that earlier runs leave for later ones: `client.global`, its headers, and answers by request name.
 *
 * Rules: nothing is kept unless the caller passes a session. Answers belong to the request file that was run, because
 * two files may use the same name. A dry run gets a copy, so that its scripts change nothing.
 */
import type { JsonValue } from '../../http-file/index.ts'
import type { AnsweredRequest } from './request-references.ts'

/** The part of a session that the runs of one file see. */
export interface SharedState {
  /** `client.global` */
  readonly globals: Map<string, JsonValue>
  /** `client.global.headers`: fields by lower-case name. */
  readonly globalHeaders: Map<string, readonly [name: string, value: string]>
  /** The last answer to each request, by request name. */
  readonly answered: Map<string, AnsweredRequest>
}

export class RunSession {
  readonly #globals: SharedState['globals'] = new Map()
  readonly #globalHeaders: SharedState['globalHeaders'] = new Map()
  readonly #answered: Map<string, SharedState['answered']> = new Map()

  copy(): RunSession {
    const copy = new RunSession()
    for (const [name, value] of this.#globals) copy.#globals.set(name, value)
    for (const [name, value] of this.#globalHeaders) copy.#globalHeaders.set(name, value)
    for (const [path, answered] of this.#answered) copy.#answered.set(path, new Map(answered))
    return copy
  }

  /** @param path of the request file that is run, absolute */
  stateOf(path: string): SharedState {
    const answered = this.#answered.get(path) ?? new Map()
    this.#answered.set(path, answered)
    return { globals: this.#globals, globalHeaders: this.#globalHeaders, answered }
  }
}
