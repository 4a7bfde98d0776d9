/**
 * What the tags of a request ask for: `# @no-redirect`, `# @timeout 5 s`, `# @retry 3 500 ms` and their like.
 *
 * Rules: unknown tags are comments.
 */
import type { TagNode } from '../../http-file/index.ts'
import type { Timeouts } from '../../wire/index.ts'
import { durationHint, parseDurationMs } from '../base/duration.ts'
import { errorAt, type SourceText } from '../base/errors.ts'

export interface RequestTags {
  readonly followsRedirects: boolean
  readonly usesCookieJar: boolean
  /** URL and form; false sends them as typed. */
  readonly encodes: boolean
  readonly usesOsCredentials: boolean
  readonly isLogged: boolean
  /** Those that tags set. */
  readonly timeouts: Partial<Timeouts>
  /** Undefined where no tag says anything about it. */
  readonly retry: RetryTag | undefined
}

/** `# @retry 3 500 ms` */
export interface RetryTag {
  /** How often at most; 0: never, whatever holds for other requests. */
  readonly count: number
  readonly intervalMs: number | undefined
}

/** What each tag sets. */
const timeoutTags: Readonly<Record<string, keyof Timeouts>> = {
  timeout: 'firstByteMs',
  'connection-timeout': 'connectMs',
}

/** Tags that mean something; every other one is a comment. */
export const tagNames: readonly string[] = [
  ...['name', 'tag', 'tags', 'assert', 'capture', 'retry', 'timeout', 'connection-timeout', 'no-redirect', 'no-log'],
  ...['no-cookie-jar', 'no-auto-encoding', 'use-os-credentials'],
]

/** @throws HttpcliError `invalid-request` with the place of the tag. */
export function readTags(tags: readonly TagNode[], source: SourceText): RequestTags {
  const has = (name: string): boolean => tags.some((tag) => tag.name === name)
  return {
    followsRedirects: !has('no-redirect'),
    usesCookieJar: !has('no-cookie-jar'),
    encodes: !has('no-auto-encoding'),
    usesOsCredentials: has('use-os-credentials'),
    isLogged: !has('no-log'),
    timeouts: timeoutsOf(tags, source),
    retry: retryOf(tags, source),
  }
}

function timeoutsOf(tags: readonly TagNode[], source: SourceText): Partial<Timeouts> {
  const timeouts: { -readonly [Name in keyof Timeouts]?: number } = {}
  for (const tag of tags) {
    const name = Object.hasOwn(timeoutTags, tag.name) ? timeoutTags[tag.name] : undefined
    if (name === undefined) continue
    const durationMs = parseDurationMs(tag.value)
    if (durationMs === undefined) {
      throw errorAt(source, tag.span, {
        code: 'invalid-request',
        message: `@${tag.name} needs a number, and may have a unit: found ${JSON.stringify(tag.value)}`,
        hint: durationHint,
      })
    }
    timeouts[name] = durationMs
  }
  return timeouts
}

/** The last one counts. */
function retryOf(tags: readonly TagNode[], source: SourceText): RetryTag | undefined {
  const tag = tags.findLast(({ name }) => name === 'retry')
  if (tag === undefined) return undefined
  const match = /^(\d{1,9})(?:[ \t]*,[ \t]*|[ \t]+|$)(.*)$/s.exec(tag.value)
  const intervalMs = parseDurationMs(match?.[2] ?? '')
  if (match === null || (match[2] !== '' && intervalMs === undefined)) {
    throw errorAt(source, tag.span, {
      code: 'invalid-request',
      message: `@retry needs how often, and may have how long to wait in between: found ${JSON.stringify(tag.value)}`,
      hint: 'Write it as @retry 3 500ms.',
    })
  }
  return { count: Number(match[1]), intervalMs }
}
