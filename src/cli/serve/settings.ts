/**
 * The options of `serve` as settings of the server, each checked before anything is opened.
 *
 * Rules: the server room validates values; this file adds the name of the option. A wrong value is a usage error of one
 * line. No error shows a password.
 */
import { resolve } from 'node:path'
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
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'
import { readSecret } from '../streams/secret.ts'
import { readBackends } from './backend-options.ts'
import { readLimits } from './limit-options.ts'
import { readSocket } from './listen-option.ts'
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
    workers: workersOf(args),
  }
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
  const port = portOf(args)
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

function portOf(args: ParsedArguments<ServeValues>): number | undefined {
  const text = args.value('port')
  if (text === undefined) return undefined
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`invalid --port ${JSON.stringify(text)}: expected a number from 0 to 65535`, {
    hint: '0 chooses any free port.',
  })
}

/** More than any machine has processors. */
const maximumWorkers = 1_024

function workersOf(args: ParsedArguments<ServeValues>): number {
  const text = args.value('workers') ?? '1'
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= maximumWorkers) return Number(text)
  throw new UsageError(`invalid --workers ${JSON.stringify(text)}: expected a number from 1 to ${maximumWorkers}`, {
    hint: 'The number of processors is a good choice.',
  })
}

function logFormatOf(args: ParsedArguments<ServeValues>): LogFormat | undefined {
  const format = args.value('log-format')
  return args.has('log-requests') || format !== undefined ? (format ?? 'text') : undefined
}

/** `user:password`, `user:@file`, or `env:NAME` of a variable that contains one of these. */
async function readCredentials(context: CommandContext<ServeValues>): Promise<Credentials | undefined> {
  const text = context.arguments.value('auth')
  if (text === undefined) return undefined
  const whole = text.startsWith('env:') ? await readSecret(text, context) : text
  const credentials = fromOption('auth', () => parseCredentials(whole))
  if (!credentials.password.startsWith('@')) return credentials
  const password = await readSecret(credentials.password, context)
  return fromOption('auth', () => parseCredentials(`${credentials.user}:${password}`))
}
