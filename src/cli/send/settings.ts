/**
 * The options of `send` as typed settings.
 *
 * Rules: everything is checked before anything is read or sent; the option table checks which options exclude each
 * other. A wrong value is a usage error that names the option, an unreadable certificate file an error of the file.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { getBuiltinModule } from 'node:process'
import {
  fixedProxy,
  type ProxyRule,
  proxyFromEnvironment,
  type ResolveEntry,
  type Timeouts,
  type TlsOptions,
  type WireOptions,
} from '../../wire/index.ts'
import type { CommandContext, ParsedArguments } from '../frame/command.ts'
import { numberValue } from '../frame/number-values.ts'
import { isUrlWord } from '../frame/request-words.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { RunValues } from '../options/run.ts'
import type { SendValues } from '../options/send.ts'

export type PrintMode = 'response' | 'all' | 'body' | 'status' | 'stats'

/** Options that `send` and `run` share. */
export type SharedValues = Pick<SendValues, keyof SendValues & keyof RunValues>

export interface SharedSettings {
  readonly mode: PrintMode
  readonly shouldLogRequest: boolean
  readonly shouldFailOnStatus: boolean
  readonly isJsonOutput: boolean
  readonly shouldDecode: boolean
  readonly wire: WireOptions
}

export interface SendSettings extends SharedSettings {
  readonly isRaw: boolean
  readonly isOffline: boolean
  readonly shouldFollow: boolean
  /** Undefined for the default limit of `follow`. */
  readonly maxRedirects: number | undefined
  readonly isVerbose: boolean
  /** Absolute path; undefined for standard output. */
  readonly outputFile: string | undefined
  readonly shouldKeepPartial: boolean
  /** The size of the file that --continue found, which is not replaced by a shorter part. */
  readonly existingBytes: number
  /** The time limit for the whole command; undefined for none. */
  readonly maxTimeMs: number | undefined
}

/** @throws UsageError; errors of the file system for certificate files. */
export async function readSharedSettings(context: CommandContext<SharedValues>): Promise<SharedSettings> {
  const args = context.arguments
  return {
    mode: args.value('print-response-mode') ?? 'response',
    shouldLogRequest: args.has('log-request'),
    shouldFailOnStatus: args.has('fail'),
    isJsonOutput: args.has('json'),
    shouldDecode: !args.has('no-decode'),
    wire: await wireOptions(context),
  }
}

/** @throws UsageError; errors of the file system for certificate files. */
export async function readSettings(context: CommandContext<SendValues>): Promise<SendSettings> {
  const args = context.arguments
  const output = args.value('output')
  const isKept = (['keep-partial', 'continue'] as const).find((name) => args.has(name))
  if (isKept !== undefined && !args.has('remote-name') && (output === undefined || output === '-')) {
    throw new UsageError(`--${isKept} needs a file to keep`, { hint: 'Add -o <file>' })
  }
  checkRaw(context)
  checkProxyDigest(args)
  if (args.has('retry-interval') && !args.has('retry')) {
    throw new UsageError('--retry-interval is given, but requests are not retried', { hint: 'Add --retry <count>' })
  }
  const shared = await readSharedSettings(context)
  return {
    ...shared,
    isRaw: args.has('raw'),
    isOffline: args.has('offline'),
    shouldFollow: args.has('follow'),
    maxRedirects: redirectLimit(args),
    isVerbose: args.has('verbose'),
    outputFile: output === undefined || output === '-' ? undefined : resolve(context.workingDirectory, output),
    shouldKeepPartial: isKept !== undefined,
    existingBytes: 0,
    maxTimeMs: milliseconds(args, 'max-time'),
    ...(args.has('http2') ? { wire: { ...shared.wire, http2: 'negotiated' } } : {}),
  }
}

/** Options that change a message; they do not apply to --raw, whose bytes need not be a message. */
const messageOptions = [
  ...(['header', 'user', 'bearer', 'digest', 'form', 'cookiejar', 'save', 'https', 'http2'] as const),
  ...(['remote-name', 'continue', 'retry', 'proxy-digest'] as const),
]

function checkRaw({ arguments: args, workingDirectory }: CommandContext<SendValues>): void {
  const [first, item] = args.positionals
  if (args.has('raw') && first !== undefined && isUrlWord(first) && !existsSync(resolve(workingDirectory, first))) {
    throw new UsageError(`--raw sends bytes unchanged, and ${first} is a URL`, {
      hint: 'Omit --raw, or give the bytes in a file or with -t',
    })
  }
  const option = messageOptions.find((name) => args.has(name))
  if (!args.has('raw') || (item === undefined && option === undefined)) return
  throw new UsageError(`--raw sends bytes unchanged, which ${item ?? `--${option}`} cannot change`, {
    hint: `Omit ${item === undefined ? `--${option}` : '--raw'}`,
  })
}

async function wireOptions(context: CommandContext<SharedValues>): Promise<WireOptions> {
  const args = context.arguments
  const unixSocket = args.value('unix-socket')
  return {
    tls: await tlsOptions(context),
    proxy: proxyRule(context),
    resolve: args.values('resolve').map(resolveEntry),
    timeouts: timeouts(args),
    ...(unixSocket === undefined ? {} : { unixSocket: resolve(context.workingDirectory, unixSocket) }),
  }
}

async function tlsOptions(context: CommandContext<SharedValues>): Promise<TlsOptions> {
  const { arguments: args, workingDirectory } = context
  const servername = args.value('servername')
  const authorities = args.value('cacert')
  return {
    verify: !args.has('ignore-tls-cert'),
    ...(authorities === undefined ? {} : { ca: await trusted(resolve(workingDirectory, authorities)) }),
    ...(clientOptions.some((name) => args.has(name))
      ? await (await import('./client-identity.ts')).clientIdentity(context)
      : {}),
    ...(servername === undefined ? {} : { servername }),
  }
}

async function trusted(path: string): Promise<string> {
  const { authoritiesOf } = await import('../streams/authorities.ts')
  return authoritiesOf(path)
}

const clientOptions = ['cert', 'key', 'key-password'] as const

function proxyRule({ arguments: args, environment }: CommandContext<SharedValues>): ProxyRule {
  const proxy = args.value('proxy')
  const noProxy = args.value('noproxy')
  if (proxy !== undefined) {
    return proxy === ''
      ? () => undefined
      : fixedProxy(proxy, noProxy ?? environment.no_proxy ?? environment.NO_PROXY ?? '')
  }
  return proxyFromEnvironment(noProxy === undefined ? environment : { ...environment, no_proxy: noProxy, NO_PROXY: '' })
}

/** A proxy in the environment may also contain a user and password. */
function checkProxyDigest(args: ParsedArguments<SendValues>): void {
  if (args.has('proxy-digest') && args.value('proxy')?.includes('@') === false) {
    throw new UsageError('--proxy-digest is given without user and password', {
      hint: 'Write --proxy http://user:password@host:port',
    })
  }
}

function timeouts(args: ParsedArguments<SharedValues>): Partial<Timeouts> {
  const connectMs = milliseconds(args, 'connect-timeout')
  const waitMs = milliseconds(args, 'timeout')
  return {
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(waitMs === undefined ? {} : { firstByteMs: waitMs, idleMs: waitMs }),
  }
}

function redirectLimit(args: ParsedArguments<SendValues>): number | undefined {
  if (args.has('max-redirects') && !args.has('follow')) {
    throw new UsageError('--max-redirects is given, but redirects are not followed', { hint: 'Add --follow' })
  }
  return numberValue(args, 'max-redirects', [0, 999_999], 'Write it as --max-redirects 20')
}

// The longest time that a timer of the platform can wait: 2^31 - 1 milliseconds.
const MAX_SECONDS = 2_147_483

function milliseconds<Name extends string>(
  args: { readonly value: (name: Name) => string | undefined },
  name: Name,
): number | undefined {
  const text = args.value(name)
  if (text === undefined) return undefined
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text) || Number(text) > MAX_SECONDS) {
    throw new UsageError(`invalid --${name} "${text}": expected a number of seconds from 0 to ${MAX_SECONDS}`, {
      hint: `Write it as --${name} 2.5; 0 means no limit`,
    })
  }
  // At least a millisecond: 0 would disable the limit.
  return Number(text) === 0 ? 0 : Math.max(1, Math.round(Number(text) * 1000))
}

function resolveEntry(text: string): ResolveEntry {
  const match = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5}):(.+)$/.exec(text)
  const [, host = '', port = '', address = ''] = match ?? []
  const bare = address.replace(/^\[(.*)\]$/, '$1')
  if (match === null || Number(port) > 65535 || getBuiltinModule('node:net').isIP(bare) === 0) {
    throw new UsageError(`invalid --resolve "${text}": expected host:port:address`, {
      hint: 'Write it as --resolve example.com:443:127.0.0.1',
    })
  }
  return { host, port: Number(port), address: bare }
}
