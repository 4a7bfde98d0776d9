/**
 * Parses one `--backend`: a path prefix and the server for it.
 *
 * Rules: `PREFIX=URL[,strip]`. The prefix is a path of whole segments. The URL is http, https or `unix:` with the path
 * of a socket. `strip` removes the prefix from the forwarded path; a path in the URL is prepended to it.
 */

import { isAbsolute, resolve } from 'node:path'
import type { HttpcliError } from '../../message/index.ts'
import { ServerError } from '../semantics/errors.ts'
import { parseRootPath, rootPathInUrls } from '../semantics/plan.ts'

export interface Backend {
  /** Decoded segments of the prefix; none for `/`. */
  readonly prefixNames: readonly string[]
  /** The prefix as URLs write it: `/api`; `/` for the root. */
  readonly prefix: string
  /** For messages and the log: `http://localhost:3000`, or `unix:` and the path of the socket. */
  readonly name: string
  /** Scheme, host and port for request URLs; `http://localhost` for a Unix domain socket. */
  readonly origin: string
  /** Prepended to forwarded paths; empty, or a path without a trailing slash. */
  readonly basePath: string
  readonly unixSocket: string | undefined
  /** Whether the prefix is removed from forwarded paths. */
  readonly isStripped: boolean
}

const form = 'Write it like /api=http://localhost:3000, or /api=http://localhost:3000,strip to forward without /api.'

/**
 * All backends of a server.
 * @param workingDirectory base of relative socket paths
 * @throws HttpcliError `backend`, including for two backends with the same prefix
 */
export function parseBackends(texts: readonly string[], workingDirectory: string): readonly Backend[] {
  const backends = texts.map((text) => parseBackend(text, workingDirectory))
  for (const [index, { prefix }] of backends.entries()) {
    if (!backends.slice(0, index).some((earlier) => earlier.prefix === prefix)) continue
    const hint = 'Omit one of them.'
    throw new ServerError('backend', `the prefix ${JSON.stringify(prefix)} has two backends`, { hint })
  }
  return backends
}

function parseBackend(text: string, workingDirectory: string): Backend {
  const [, prefix, place, options] = /^([^=]*)=([^,]*)(?:,(.*))?$/s.exec(text) ?? []
  if (prefix === undefined || place === undefined) throw invalid(text, 'it has no "="')
  if (!prefix.startsWith('/'))
    throw invalid(text, `expected a prefix that begins with "/", found ${JSON.stringify(prefix)}`)
  if (options !== undefined && options !== 'strip') {
    throw invalid(text, `expected "strip" after the comma, found ${JSON.stringify(options)}`)
  }
  const prefixNames = prefixNamesOf(text, prefix)
  return {
    prefixNames,
    prefix: rootPathInUrls(prefixNames) || '/',
    isStripped: options === 'strip',
    ...(place.startsWith('unix:') ? socketPlace(text, place, workingDirectory) : urlPlace(text, place)),
  }
}

function prefixNamesOf(text: string, prefix: string): readonly string[] {
  try {
    return parseRootPath(prefix)
  } catch {
    throw invalid(text, `the prefix ${JSON.stringify(prefix)} is not a path of plain names`)
  }
}

type Place = Pick<Backend, 'name' | 'origin' | 'basePath' | 'unixSocket'>

function socketPlace(text: string, place: string, workingDirectory: string): Place {
  const path = place.slice('unix:'.length).replace(/^\/\/(?=\/)/, '')
  if (path === '' || path.includes('\0')) throw invalid(text, 'expected the path of a socket after "unix:"')
  const unixSocket = isAbsolute(path) ? path : resolve(workingDirectory, path)
  return { name: `unix:${unixSocket}`, origin: 'http://localhost', basePath: '', unixSocket }
}

function urlPlace(text: string, place: string): Place {
  const url = /^https?:\/\//i.test(place) && !/[\s\\]/.test(place) && URL.canParse(place) ? new URL(place) : undefined
  if (url === undefined)
    throw invalid(text, `expected a URL of http, https or unix: after "=", found ${JSON.stringify(place)}`)
  if (url.username !== '' || url.password !== '') throw invalid('', 'its URL has a user or a password')
  if (url.search !== '' || url.hash !== '') throw invalid(text, 'its URL has a query or a fragment')
  const basePath = url.pathname.replace(/\/$/, '')
  return { name: `${url.origin}${basePath}`, origin: url.origin, basePath, unixSocket: undefined }
}

/** `text`: empty if it contains a secret. */
function invalid(text: string, fault: string): HttpcliError {
  return new ServerError('backend', `invalid backend${text === '' ? '' : ` ${JSON.stringify(text)}`}: ${fault}`, {
    hint: form,
  })
}
