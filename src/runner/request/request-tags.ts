/**
 * Reads the tags of a request: `# @no-redirect`, `# @timeout 5 s`, `# @retry 3 500 ms` and so on.
 *
 * Rules: unknown tags are comments.
 */
import type { TagNode } from '../../http-file/index.ts'
import type { HttpcliError } from '../../message/index.ts'
import type { Timeouts } from '../../wire/index.ts'
import { durationHint, parseDurationMs } from '../base/duration.ts'
import type { RequestContext } from './request-context.ts'

export interface RequestTags {
  readonly shouldFollowRedirects: boolean
  readonly hasCookieJar: boolean
  /** Whether URL and form are encoded; false sends them as typed. */
  readonly shouldEncode: boolean
  /** Tags that have no effect here, and their replacements. */
  readonly warnings: readonly HttpcliError[]
  /** False with `@no-log`. */
  readonly isLogged: boolean
  /** Limits set by tags. */
  readonly timeouts: Partial<Timeouts>
  /** Undefined without such a tag. */
  readonly retry: RetryTag | undefined
}

/** `# @retry 3 500 ms` */
export interface RetryTag {
  /** The maximum number of retries; 0: never, regardless of the default. */
  readonly count: number
  readonly intervalMs: number | undefined
}

/** The limit that each tag sets. */
const timeoutTags: Readonly<Record<string, keyof Timeouts>> = {
  timeout: 'firstByteMs',
  'connection-timeout': 'connectMs',
}

/** Tags with a meaning; all others are comments. */
export const tagNames: readonly string[] = [
  ...['name', 'tag', 'tags', 'assert', 'capture', 'retry', 'timeout', 'connection-timeout', 'no-redirect', 'no-log'],
  ...[
    'no-cookie-jar',
    'no-auto-encoding',
    'use-os-credentials',
    'prompt',
    'note',
    'grpc-proto',
    'grpc-import-path',
    'grpc-protoset',
  ],
]

/** @throws HttpcliError `invalid-request`, `not-supported` with the place of the tag */
export function readTags(context: RequestContext): RequestTags {
  const { request, variables } = context
  const { tags } = request
  for (const tag of tags) refuseForeign(tag, context)
  const has = (name: string): boolean => tags.some((tag) => tag.name === name)
  return {
    shouldFollowRedirects: !has('no-redirect'),
    hasCookieJar: !has('no-cookie-jar'),
    shouldEncode: !has('no-auto-encoding'),
    warnings: tags
      .filter((tag) => !isSatisfied(tag, (name) => variables.shared.answers.has(name)))
      .flatMap((tag) => ignoredTag(tag, context) ?? []),
    isLogged: !has('no-log'),
    timeouts: timeoutsOf(context),
    retry: retryOf(context),
  }
}

/** A tag of another tool: the tool, and the replacement. */
type ForeignTag = readonly [tool: string, instead: string]

const repeated = 'A variable that is an array sends one request for each element; --repeat N runs the whole file.'
const chosen = 'Delete the request, or choose others with --name and --tag.'
const captured = 'Write "# @capture name = $.path"; a script can call exec(…) with --allow-exec.'
const curlOption = 'See the options of run: --connect-timeout, --proxy, -i and others.'
const secure = 'Use -i, or "verifyHostCertificate": false in SSLConfiguration.'
const delay = 'Use --delay 500ms, or sleep(500) in a script.'
const calls = 'Write "run #name" above the request.'

/** Tags that change the request, which therefore must not be sent without them. */
const refused: Readonly<Record<string, ForeignTag>> = {
  loop: ['httpYac', repeated],
  disabled: ['httpYac', chosen],
  if: ['httprunner', chosen],
  'if-not': ['httprunner', chosen],
  'stdin-cmd-pre': ['Kulala.nvim', 'A script above the request can call exec(…) with --allow-exec.'],
}

/** Tags of other tools that have no effect here. */
const ignored: Readonly<Record<string, ForeignTag>> = {
  'use-os-credentials': ['NTLM and Negotiate', 'Write an Authorization header: Basic, Digest or Bearer.'],
  sleep: ['httpYac', delay],
  ratelimit: ['httpYac', 'Use --delay 500ms.'],
  'inject-variables': ['httpYac', 'Write "<@ file": the variables in the file are replaced.'],
  'no-reject-unauthorized': ['httpYac', secure],
  'no-client-cert': ['httpYac', 'Leave SSLConfiguration out of the environment.'],
  jwt: ['httpYac', 'Use jwt.decode(…) in a script.'],
  save: ['httpYac', 'Write ">> file" below the body.'],
  import: ['httpYac', 'Write "import file" on a separate line.'],
  ref: ['httpYac', calls],
  'force-ref': ['httpYac', calls],
  'response-ref': ['httpYac', 'Write "> {% … %}" below the request.'],
  proxy: ['httpYac', 'Use --proxy URL.'],
  lang: ['rest.nvim', 'Write the script in JavaScript.'],
  delay: ['Kulala.nvim', delay],
  'pre-delay': ['httprunner', delay],
  'post-delay': ['httprunner', delay],
  'depends-on': ['httprunner', calls],
  secret: ['Kulala.nvim', 'Write "# @prompt name".'],
  'env-stdin-cmd': ['Kulala.nvim', captured],
  'env-stdin-cmd-pre': ['Kulala.nvim', captured],
  'env-json-key': ['Kulala.nvim', captured],
  'env-header-key': ['Kulala.nvim', 'Write "# @capture name = header Name".'],
  'stdin-cmd': ['Kulala.nvim', 'Write "> {% … %}" below the request.'],
  jq: ['Kulala.nvim', 'Write "# @capture name = $.path".'],
  'attach-cookie-jar': ['Kulala.nvim', 'Use -c FILE.'],
}

/** Kulala passes tags of this form to curl. */
const curlTag = /^curl-/

/** `noRejectUnauthorized` is an older spelling of `no-reject-unauthorized`. */
function tableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function refuseForeign({ name, span }: TagNode, context: RequestContext): void {
  const key = tableName(name)
  if (!Object.hasOwn(refused, key)) return
  const [tool, hint] = refused[key] as ForeignTag
  const message = `@${name} is a tag of ${tool}, which is not supported`
  throw context.error(span, { code: 'not-supported', message, hint })
}

/** Requests are sent in the order of the file, so a request above has already been answered. */
function isSatisfied({ name, value }: TagNode, isRequest: (name: string) => boolean): boolean {
  return /^(?:ref|forceRef|dependsOn)$/.test(name) && isRequest(value)
}

function ignoredTag({ name, span }: TagNode, context: RequestContext): HttpcliError | undefined {
  const key = tableName(name)
  const isCurl = curlTag.test(name)
  if (!isCurl && !Object.hasOwn(ignored, key)) return undefined
  const [tool, hint] = isCurl ? (['Kulala.nvim', curlOption] as const) : (ignored[key] as ForeignTag)
  const reason = name === 'use-os-credentials' ? `${tool} are not supported` : `it is a tag of ${tool}`
  return context.error(span, { code: 'not-supported', message: `@${name} has no effect: ${reason}`, hint })
}

/** Editors ignore what follows the number: `# @timeout 180 # the report is slow`. */
function withoutComment(value: string): string {
  const at = value.search(/[ \t](?:#|\/\/)/)
  return at === -1 ? value : value.slice(0, at).trimEnd()
}

function timeoutsOf(context: RequestContext): Partial<Timeouts> {
  const timeouts: { -readonly [Name in keyof Timeouts]?: number } = {}
  for (const tag of context.request.tags) {
    const name = Object.hasOwn(timeoutTags, tag.name) ? timeoutTags[tag.name] : undefined
    if (name === undefined) continue
    const durationMs = parseDurationMs(withoutComment(tag.value))
    if (durationMs === undefined) {
      throw context.error(tag.span, {
        code: 'invalid-request',
        message: `@${tag.name} needs a number with an optional unit, found ${JSON.stringify(tag.value)}`,
        hint: durationHint,
      })
    }
    timeouts[name] = durationMs
  }
  return timeouts
}

/** The last one wins. */
function retryOf(context: RequestContext): RetryTag | undefined {
  const tag = context.request.tags.findLast(({ name }) => name === 'retry')
  if (tag === undefined) return undefined
  const match = /^(\d{1,9})(?:[ \t]*,[ \t]*|[ \t]+|$)(.*)$/s.exec(withoutComment(tag.value))
  const intervalMs = parseDurationMs(match?.[2] ?? '')
  if (match === null || (match[2] !== '' && intervalMs === undefined)) {
    throw context.error(tag.span, {
      code: 'invalid-request',
      message: `@retry needs a number of retries with an optional delay, found ${JSON.stringify(tag.value)}`,
      hint: 'Write it as @retry 3 500ms.',
    })
  }
  return { count: Number(match[1]), intervalMs }
}
