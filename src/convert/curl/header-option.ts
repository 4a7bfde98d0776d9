/**
 * Reads curl's `-H` as headers to send and headers to leave out.
 *
 * Rules (curl manual): `Name: value` is a header, `Name:` removes one that curl would add, `Name;` sends one without a
 * value. The name ends at the first colon; a semicolon counts only where no colon and no text follows. Other values
 * send nothing.
 */
import type { Entry } from '../draft/draft.ts'
import type { GivenOption } from './option-reader.ts'

export interface HeaderOptions {
  readonly written: readonly Entry[]
  readonly removals: readonly HeaderRemoval[]
}

export interface HeaderRemoval {
  readonly name: string
  readonly given: GivenOption
}

type Lose = (place: { readonly line: number }, message: string) => void

/** `run` would not send a request with one of these without a value, or would send a different one. */
const neverEmpty: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding'])

/** @param isMultipart whether the media type names the boundary of the body */
export function headerOptions(options: readonly GivenOption[], isMultipart: boolean, lose: Lose): HeaderOptions {
  const written: Entry[] = []
  const removals: HeaderRemoval[] = []
  for (const given of options) {
    if (given.value.startsWith('@')) {
      lose(given, `headers of the file ${given.value.slice(1)}`)
      continue
    }
    const [, start = '', mark, rest = ''] =
      /^([^:]+)(:)(.*)$/s.exec(given.value) ?? /^([^;]+)(;)$/.exec(given.value) ?? []
    const name = start.trim()
    const value = rest.trim()
    const lower = name.toLowerCase()
    if (name === '') continue
    if (mark === ':' && value === '') removals.push({ name, given })
    else if (value !== '' || !(neverEmpty.has(lower) || (isMultipart && lower === 'content-type'))) {
      written.push({ name, value })
    } else lose(given, `the empty header ${name}: "httpcli run" sends it with a value`)
  }
  return { written, removals }
}
