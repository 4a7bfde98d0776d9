/**
 * The storage of a header list's field lines: strings, or the bytes of a head (head-octets.ts).
 *
 * Rules: the lines do not change; indexes count from 0, in order.
 */
import { equalsIgnoringCase } from '../syntax/octets.ts'

/** The storage of a list's field lines: strings, or the bytes of a head. */
export interface FieldLines {
  readonly fieldCount: number
  /** Index of the first field of that name, in any case, from field `from` on, or -1. */
  indexOf(name: string, from: number): number
  name(index: number): string
  value(index: number): string
  /** Name and value of each line. */
  pairs(): Iterator<readonly [name: string, value: string]>
  /** Line number in the parsed message; 0 for a line that was set later, undefined if the list was not parsed. */
  lineNumber(index: number): number | undefined
}

/** Field lines as strings. */
export class ListedFields implements FieldLines {
  readonly names: readonly string[]
  readonly values: readonly string[]
  readonly lines: readonly number[] | undefined

  constructor(names: readonly string[], values: readonly string[], lines: readonly number[] | undefined) {
    this.names = names
    this.values = values
    this.lines = lines
  }

  get fieldCount(): number {
    return this.names.length
  }

  indexOf(name: string, from: number): number {
    for (let i = from; i < this.names.length; i++) if (equalsIgnoringCase(this.names[i] as string, name)) return i
    return -1
  }

  name(index: number): string {
    return this.names[index] as string
  }

  value(index: number): string {
    return this.values[index] as string
  }

  *pairs(): Generator<readonly [name: string, value: string]> {
    for (let i = 0; i < this.names.length; i++) yield [this.name(i), this.value(i)]
  }

  lineNumber(index: number): number | undefined {
    return this.lines?.[index]
  }
}
