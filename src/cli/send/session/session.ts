/**
 * State of a whole `send`: the cookie jar, the Digest challenge, retries.
 *
 * Rules: the jar is read before anything is sent, and written when the command ends, even after a failure. Loaded only
 * for the options that need it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpRequest } from '../../../message/index.ts'
import { InvalidFileError, platformSources, RunCookies } from '../../../runner/index.ts'
import {
  type Credentials,
  type Exchange,
  exchange,
  type FollowOptions,
  follow,
  ProxyDigest,
  type WireOptions,
} from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { durationValue } from '../../frame/duration-values.ts'
import { numberValue } from '../../frame/number-values.ts'
import type { SendValues } from '../../options/send.ts'
import { cookieExchange } from './redirect-cookies.ts'
import { mayRetry, type RetrySettings, type Tries, useTry, withRetries } from './retry.ts'
import { clientNonce, digestExchange, jarExchange } from './transfer.ts'

export type RedirectSettings = Pick<FollowOptions, 'maxRedirects' | 'onRedirect'>

export interface Session {
  /** Sends the request like `exchange` and `follow`. */
  readonly send: (
    request: HttpRequest,
    options: WireOptions,
    redirects: RedirectSettings | undefined,
  ) => Promise<Exchange>
  /** Writes the jar. @throws HttpcliError `output-failed` */
  readonly end: () => Promise<void>
}

/** What outlasts a session, since a body that fails may be followed by another session. */
export interface SessionState {
  /** User and password for the challenges of the server. */
  readonly digest: Credentials | undefined
  readonly tries: Tries
  /** Whether a transfer is repeated whose body failed with this error and was written to a file. */
  readonly isRetriedAfter: (error: unknown) => boolean
  /** Reports the next try after such an error, and waits for it until the signal aborts. */
  readonly useTry: (error: unknown, signal: AbortSignal) => Promise<void>
}

export interface SessionSteps {
  /** Called before the request is sent again to answer the challenge of the response. */
  readonly onChallenge: (result: Exchange) => Promise<void>
  /** Called before the request is sent again after a failure. */
  readonly onRepeat: () => Promise<void>
}

const DEFAULT_INTERVAL_MS = 1000

/**
 * @param digest user and password for the challenges of the server
 * @throws UsageError
 */
export function openState(context: CommandContext<SendValues>, digest: Credentials | undefined): SessionState {
  const tries = { left: numberValue(context.arguments, 'retry', [0, 9999], 'Write it as --retry 3') ?? 0 }
  return {
    digest,
    tries,
    isRetriedAfter: (error) => mayRetry(error, tries),
    useTry: async (error, signal) => {
      const settings = retrySettings(context, tries, signal)
      await useTry(settings, (error as Error).message, settings.intervalMs)
    },
  }
}

/**
 * @param steps called before a request is sent again
 * @throws UsageError; InvalidFileError for the jar
 */
export async function openSession(
  context: CommandContext<SendValues>,
  { digest, tries }: Pick<SessionState, 'digest' | 'tries'>,
  { onChallenge, onRepeat }: SessionSteps,
): Promise<Session> {
  const { arguments: args, stderr, workingDirectory } = context
  const warn = async (message: string): Promise<void> => stderr.write(`warning: ${message}\n`)
  const { now } = platformSources
  const jar = args.value('cookiejar')
  const cookies = jar === undefined ? undefined : readJar(jar, workingDirectory, now)
  for (const warning of cookies?.warnings ?? []) await warn(warning.message)

  const send: Session['send'] = (request, options, redirects) => {
    // Without a jar, cookies last for the redirects of one request.
    const withoutJar = redirects === undefined ? exchange : cookieExchange(warn)
    const plain = cookies === undefined ? withoutJar : jarExchange(cookies, warn)
    const sendOne = digest === undefined ? plain : digestExchange(request, digest, plain, onChallenge)
    const start = (): Promise<Exchange> =>
      redirects === undefined
        ? sendOne(request, options)
        : follow(request, { ...options, ...redirects, exchange: sendOne })
    return withRetries(retrySettings(context, tries, options.signal ?? context.signal, onRepeat), start)
  }
  return { send, end: async () => cookies?.save() }
}

/** @throws UsageError */
function retrySettings(
  context: CommandContext<SendValues>,
  tries: Tries,
  signal: AbortSignal,
  onRepeat?: SessionSteps['onRepeat'],
): RetrySettings {
  const { arguments: args, stderr } = context
  return {
    tries,
    intervalMs: durationValue(args, 'retry-interval') ?? DEFAULT_INTERVAL_MS,
    nowMs: platformSources.now,
    wait: async (waitMs) => void (await pause(waitMs, undefined, { signal })),
    onRetry: async (reason, waitMs, left) => {
      await onRepeat?.()
      await stderr.write(
        `note: ${reason}; retrying in ${waitMs / 1000} s (${left} ${left === 1 ? 'try' : 'tries'} left)\n`,
      )
    },
    onNotRetried: (reason) => stderr.write(`note: not retried: ${reason}\n`),
  }
}

/** Digest authentication for --proxy-digest. */
export function proxyDigest(): ProxyDigest {
  return new ProxyDigest(clientNonce)
}

/** @throws HttpcliError `invalid-cookie-jar` with the place of the first line that is not a cookie. */
function readJar(path: string, directory: string, nowMs: () => number): RunCookies {
  try {
    return RunCookies.read(path, directory, nowMs)
  } catch (error) {
    throw error instanceof InvalidFileError ? (error.errors[0] ?? error) : error
  }
}
