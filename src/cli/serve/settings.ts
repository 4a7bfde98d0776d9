/**
 * The options of `serve` as settings of the server, each checked before anything is opened.
 *
 * Rules: the server room validates values; this file adds the name of the option. A wrong value is a usage error of one
 * line. No error shows a password.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pid } from 'node:process'
import {
  type Credentials,
  corsFields,
  type FeatureSettings,
  type Field,
  type LogFormat,
  parseAllowedHost,
  parseApplicationPage,
  parseCacheControl,
  parseCredentials,
  parseExtraField,
  parseOrigin,
  readMediaTypes,
  type ServeOptions,
  type Visibility,
} from '../../server/index.ts'
import type { CommandContext, ParsedArguments } from '../frame/command.ts'
import { numberValue } from '../frame/number-values.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'
import { readSecret } from '../streams/secret.ts'
import { readBackends } from './backend-options.ts'
import { readLimits } from './limit-options.ts'
import { fromOption } from './option-value.ts'
import { openRules } from './rules-options.ts'
import { readTlsSettings } from './tls-options.ts'

export interface ServeSettings {
  readonly server: ServeOptions
  readonly features: Omit<FeatureSettings, 'onWarning'>
  /** Undefined for no log. */
  readonly logFormat: LogFormat | undefined
  readonly shouldOpenBrowser: boolean
  /** The number of processes that serve requests. */
  readonly workers: number
}

/** Listening on this address accepts connections from every machine. */
const everyAddress = '0.0.0.0'

/** @throws UsageError, and errors in files that options name */
export async function readSettings(context: CommandContext<ServeValues>): Promise<ServeSettings> {
  const { arguments: args, workingDirectory } = context
  const [place] = args.positionals
  if (place === undefined) throw new UsageError('no directory to serve', { hint: 'Write httpcli serve <dir>' })
  refusePort(place, workingDirectory)
  const rootPath = args.value('root-path')
  const visibility: Visibility = {
    allowsDotfiles: args.has('dotfiles'),
    allowsOutsideSymlinks: args.has('follow-symlinks'),
  }
  const headers = args.values('header').map((text) => fromOption('header', () => parseExtraField(text)))
  const fields = headers.filter((field) => !isCacheControl(field))
  const corsOrigin = args.has('cors') ? fromOption('cors', () => parseOrigin(args.value('cors') ?? '*')) : undefined
  const credentials = await readCredentials(context)
  const server = await readServerOptions(context)
  const rules = await openRules(context, {
    directory: resolve(workingDirectory, place),
    rootPath,
    site: {
      visibility,
      isSecure: server.tls !== undefined,
      optionFields: optionFieldNames(fields, corsOrigin),
      isPasswordRequired: credentials !== undefined,
    },
  })
  const directory = rules?.directory ?? resolve(workingDirectory, place)
  const features: ServeSettings['features'] = {
    directory,
    rootPath,
    visibility,
    allowsListings: !args.has('no-listing'),
    applicationPage: args.has('spa')
      ? fromOption('spa', () => parseApplicationPage(args.value('spa') ?? 'index.html'))
      : undefined,
    fields,
    cacheControl: cacheControlOf(args, headers),
    corsOrigin,
    credentials,
    rules,
    hasHealthPath: args.has('health'),
    hasLiveReload: args.has('live'),
  }
  return {
    server: {
      ...server,
      directory,
      visibility,
      hasContentTags: args.has('etag') ? args.value('etag') === 'content' : (rules?.hasContentTags ?? false),
    },
    features,
    logFormat: logFormatOf(args),
    shouldOpenBrowser: args.has('open'),
    workers: numberValue(args, 'workers', [1, maximumWorkers], 'The number of processors is a good choice') ?? 1,
  }
}

/** Other servers take the port as an argument. @throws UsageError */
function refusePort(place: string, workingDirectory: string): void {
  const port = /^:?(\d{1,5})$/.exec(place)?.[1]
  if (port === undefined || existsSync(resolve(workingDirectory, place))) return
  throw new UsageError(`the directory ${place} does not exist`, {
    hint: `Write httpcli serve . -p ${port} for the port`,
  })
}

const isCacheControl = ([name]: Field): boolean => name.toLowerCase() === 'cache-control'

/**
 * Cache-Control given as a header also applies only to files: an error or a health check must not be cached for a year.
 */
function cacheControlOf(
  args: ParsedArguments<ServeValues>,
  headers: readonly Field[],
): FeatureSettings['cacheControl'] {
  const values = headers.filter(isCacheControl).map(([, value]) => value)
  const texts = args.values('cache-control')
  if (texts.length > 0 && values.length > 0)
    throw new UsageError('--cache-control and --header set Cache-Control', { hint: 'Use one of them' })
  if (values.length > 0) return () => values.join(', ')
  return fromOption('cache-control', () => parseCacheControl(texts))
}

/** Fields that rules cannot set, because options set them. */
function optionFieldNames(fields: readonly Field[], corsOrigin: string | undefined): ReadonlySet<string> {
  const cors = corsOrigin === undefined ? [] : corsFields(corsOrigin)
  return new Set([...fields, ...cors].map(([name]) => name.toLowerCase()).filter((name) => name !== 'vary'))
}

async function readServerOptions(context: CommandContext<ServeValues>): Promise<Omit<ServeOptions, 'directory'>> {
  const { arguments: args, workingDirectory } = context
  const port = numberValue(args, 'port', [0, 65_535], '0 chooses any free port')
  const host = args.has('public') ? everyAddress : args.value('host')
  const rootPath = args.value('root-path')
  const mediaTypesFile = args.value('media-types')
  const tls = await readTlsSettings(context, host)
  const limits = readLimits(args)
  const forwarding = await readBackends(context, limits)
  return {
    limits,
    ...(forwarding === undefined ? {} : { forwarding }),
    allowedHosts: args.values('allowed-host').map((text) => fromOption('allowed-host', () => parseAllowedHost(text))),
    isCompressing: args.has('compress'),
    ...(args.has('listen') ? { socket: readSocket(context) } : {}),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(rootPath === undefined ? {} : { rootPath }),
    ...(tls === undefined ? {} : { tls }),
    ...(mediaTypesFile === undefined
      ? {}
      : { mediaTypes: await readMediaTypes(resolve(workingDirectory, mediaTypesFile)) }),
  }
}

/** More than any machine has processors. */
const maximumWorkers = 1_024

function logFormatOf(args: ParsedArguments<ServeValues>): LogFormat | undefined {
  const format = args.value('log-format')
  return args.has('log-requests') || format !== undefined ? (format ?? 'text') : undefined
}

/** `user:password`, `user:@file`, or `env:NAME` of a variable that contains one of these. */
async function readCredentials(context: CommandContext<ServeValues>): Promise<Credentials | undefined> {
  const text = context.arguments.value('auth')
  if (text === undefined) return undefined
  const whole = text.startsWith('env:') ? await readSecret(text, context) : text
  const { user, password } = fromOption('auth', () => parseCredentials(whole))
  const read = password.startsWith('@') ? await readSecret(password, context) : password
  if (read === '') {
    // Every client could guess it.
    throw new UsageError('--auth: the password is empty', { hint: 'Check the variable or the file that it comes from' })
  }
  return fromOption('auth', () => parseCredentials(`${user}:${read}`))
}

/** SD_LISTEN_FDS_START. */
const firstDescriptor = 3

/** `--listen`: a Unix domain socket, or a socket that systemd opened. @throws UsageError */
function readSocket({
  arguments: args,
  environment,
  workingDirectory,
}: CommandContext<ServeValues>): NonNullable<ServeOptions['socket']> {
  const text = args.value('listen') ?? ''
  if (text === 'systemd') return { descriptor: descriptorOf(environment) }
  const [, path] = /^unix:(?:\/\/)?(.+)$/s.exec(text) ?? []
  if (path !== undefined && !path.includes('\0')) return { path: resolve(workingDirectory, path) }
  throw new UsageError(`--listen ${JSON.stringify(text)} is neither unix:PATH nor systemd`, {
    hint: 'Write --listen unix:/run/site.sock, or give an address and a port with --host and -p.',
  })
}

/**
 * systemd passes sockets from descriptor 3 on, with their number and the process in the environment
 * (sd_listen_fds(3)). Exactly one is accepted: otherwise nothing would be served on the requested socket.
 */
function descriptorOf({ LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>): number {
  const hint = 'Start the command with a .socket unit of systemd, or listen on a port with -p.'
  if (LISTEN_FDS === undefined || LISTEN_PID === undefined) {
    throw new UsageError('--listen systemd: no socket was passed on (LISTEN_FDS and LISTEN_PID are not set)', { hint })
  }
  if (LISTEN_PID !== String(pid)) {
    const found = `LISTEN_PID is ${JSON.stringify(LISTEN_PID)}, this process is ${pid}`
    throw new UsageError(`--listen systemd: the socket was passed on to another process (${found})`, { hint })
  }
  if (LISTEN_FDS !== '1') {
    throw new UsageError(`--listen systemd: one socket is expected, LISTEN_FDS is ${JSON.stringify(LISTEN_FDS)}`, {
      hint: 'Give the .socket unit one ListenStream.',
    })
  }
  return firstDescriptor
}
