/**
 * Converts the servers of a document to environments.
 *
 * Rules: the first server applies in every environment, so that a file runs without choosing one; several servers
 * become an environment each. Variables of a server have their defaults. A path without a host is on localhost.
 */
import { type JsonObject, listOf, objectOf, objectsOf, textOf } from '../draft/document.ts'
import type { EnvironmentDraft } from '../draft/draft.ts'
import { fileNameOf } from '../draft/file-name.ts'
import { literalUrl } from '../draft/literal-text.ts'

export const BASE_URL = 'baseUrl'

const LOCAL = 'http://localhost'

export interface Server {
  /** For the name of an environment. */
  readonly name: string
  /** Without a trailing slash. */
  readonly url: string
}

/** At least one. */
export function serversOf(root: JsonObject): readonly Server[] {
  const servers = root.swagger === undefined ? objectsOf(root.servers).map(serverOf) : oldServers(root)
  return servers.length === 0 ? [{ name: 'local', url: LOCAL }] : servers
}

function serverOf(server: JsonObject): Server {
  return { name: textOf(server.description), url: withHost(serverUrl(server)) }
}

/** With its variables replaced by their defaults, without a trailing slash. */
export function serverUrl(server: JsonObject): string {
  const variables = objectOf(server.variables)
  return textOf(server.url)
    .replace(/\{([^{}]+)\}/g, (_, name: string) => textOf(objectOf(variables[name]).default))
    .replace(/(?<!\/)\/+$/, '')
}

/** A server without a host is on this machine. */
export function withHost(url: string): string {
  if (/^[A-Za-z][\w+.-]*:\/\//.test(url)) return url
  return url.startsWith('//') ? `https:${url}` : `${LOCAL}${url === '' || url.startsWith('/') ? url : `/${url}`}`
}

function oldServers(root: JsonObject): readonly Server[] {
  const path = textOf(root.basePath).replace(/(?<!\/)\/+$/, '')
  const host = textOf(root.host)
  if (host === '') return [{ name: 'local', url: `${LOCAL}${path}` }]
  const schemes = listOf(root.schemes).map(textOf)
  const scheme = schemes.includes('https') || schemes.length === 0 ? 'https' : (schemes[0] as string)
  return [{ name: host, url: `${scheme}://${host}${path}` }]
}

/** `$shared` with the first, and if there are several, one for each. */
export function serverEnvironments(servers: readonly Server[]): readonly EnvironmentDraft[] {
  const environment = (name: string, { url }: Server): EnvironmentDraft => ({
    name,
    variables: [{ name: BASE_URL, value: literalUrl(url), isSecret: false }],
  })
  const [first] = servers
  const used = new Set<string>()
  const named = servers.map((server, index) => {
    const wanted = fileNameOf(server.name.replace(/\bserver\b/gi, '')) || hostOf(server.url) || `server-${index + 1}`
    const name = used.has(wanted) ? `${wanted}-${index + 1}` : wanted
    used.add(name)
    return environment(name, server)
  })
  return [...(first === undefined ? [] : [environment('$shared', first)]), ...(servers.length > 1 ? named : [])]
}

function hostOf(url: string): string {
  return /^[^:]+:\/\/([^/:]+)/.exec(url)?.[1] ?? ''
}
