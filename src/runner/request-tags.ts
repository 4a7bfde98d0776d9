/**
 * What the tags of a request ask for: `# @no-redirect`, `# @timeout 5 s` and their like.
 *
 * Rules: unknown tags are comments. A number without a unit is seconds.
 */
import type { TagNode } from '../http-file/index.ts'
import type { Timeouts } from '../wire/index.ts'
import { errorAt, type SourceText } from './errors.ts'

export interface RequestTags {
  readonly followsRedirects: boolean
  readonly usesCookieJar: boolean
  readonly encodesUrl: boolean
  readonly usesOsCredentials: boolean
  readonly isLogged: boolean
  /** Those that tags set. */
  readonly timeouts: Partial<Timeouts>
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, '': 1000, m: 60_000 }

/** What each tag sets. */
const timeoutTags: Readonly<Record<string, keyof Timeouts>> = {
  timeout: 'firstByteMs',
  'connection-timeout': 'connectMs',
}

/** @throws HttpcliError `invalid-request` with the place of the tag. */
export function readTags(tags: readonly TagNode[], source: SourceText): RequestTags {
  const has = (name: string): boolean => tags.some((tag) => tag.name === name)
  return {
    followsRedirects: !has('no-redirect'),
    usesCookieJar: !has('no-cookie-jar'),
    encodesUrl: !has('no-auto-encoding'),
    usesOsCredentials: has('use-os-credentials'),
    isLogged: !has('no-log'),
    timeouts: timeoutsOf(tags, source),
  }
}

function timeoutsOf(tags: readonly TagNode[], source: SourceText): Partial<Timeouts> {
  const timeouts: { -readonly [Name in keyof Timeouts]?: number } = {}
  for (const tag of tags) {
    const name = Object.hasOwn(timeoutTags, tag.name) ? timeoutTags[tag.name] : undefined
    if (name === undefined) continue
    const match = /^(\d+)[ \t]*(ms|s|m|)$/.exec(tag.value)
    if (match === null) {
      throw errorAt(source, tag.span, {
        code: 'invalid-request',
        message: `@${tag.name} needs a number, and may have a unit: found ${JSON.stringify(tag.value)}`,
        hint: 'The units are ms, s and m; without one the number is seconds.',
      })
    }
    timeouts[name] = Number(match[1]) * (unitsMs[match[2] as string] as number)
  }
  return timeouts
}
