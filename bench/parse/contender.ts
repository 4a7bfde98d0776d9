/**
 * The common interface of the parsers of this benchmark.
 *
 * Rules: a task does the same work for each parser, and returns a number that depends on the result, so that no
 * compiler can eliminate the work. `lazily` is the work that a parser does before a string is requested; a parser that
 * cannot be lazy is measured with `strings` for both.
 */
import { readFileSync } from 'node:fs'

export const messageNames = ['S', 'M', 'R', 'C'] as const
/** Minimal GET, browser GET with 20 fields, response with 4 KB of content, response in 16 chunks of 1 KB. */
export type MessageName = (typeof messageNames)[number]

export const taskNames = ['lazily', 'strings', 'text in', 'text out'] as const
/**
 * `lazily`: bytes to a head. `strings`: the same, then method, target or status, and each field are read as strings.
 * `text in`: the same from a text. `text out`: a parsed message to normalised text.
 */
export type TaskName = (typeof taskNames)[number]

/** Parses the given number of messages. */
export type Task = (count: number) => number

export interface Contender {
  readonly tasks: Partial<Record<TaskName, Task>>
  /** The object that a program keeps for a message. */
  readonly keep?: (octets: Buffer) => unknown
}

/** Makes the tasks of one parser for one message; undefined if it cannot read that message. */
export type MakeContender = (name: MessageName, copies: readonly Buffer[]) => Contender | undefined

export const isRequest = (name: MessageName): boolean => name === 'S' || name === 'M'

export const octetsOf = (name: MessageName): Buffer => readFileSync(new URL(`../messages/${name}.bin`, import.meta.url))

/**
 * Enough copies that no parser sees the same bytes twice in a row, and few enough to fit into the cache of a processor.
 */
export const COPIES = 64

/** A task that parses the copies one after another. */
export function inTurn<T>(copies: readonly T[], parse: (copy: T) => number): Task {
  return (count) => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += parse(copies[i % COPIES] as T)
    return sum
  }
}
