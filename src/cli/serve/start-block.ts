/**
 * The start message of `serve`: one line that scripts wait for, and details for users.
 *
 * Rules: the form of the first line never changes. The addresses of a server that listens everywhere follow. A terminal
 * also shows who can connect, how to open the server to others, the fingerprint of the certificate, and enabled
 * features.
 */
import type { NetworkInterfaceInfo } from 'node:os'
import type { Backend, RunningServer, TlsIdentity } from '../../server/index.ts'
import type { ServeSettings } from './settings.ts'

export interface StartFacts {
  readonly server: RunningServer
  readonly settings: ServeSettings
  /** Undefined without TLS, or if only the workers know it. */
  readonly identity: TlsIdentity | undefined
  readonly isTerminal: boolean
  /** The addresses of this machine, as the platform lists them. */
  readonly addresses: readonly NetworkInterfaceInfo[]
}

export function startLines(facts: StartFacts): readonly string[] {
  const { server, isTerminal, addresses } = facts
  return [
    `Serving directory ${server.directory} on ${server.url}`,
    ...networkUrls(server, addresses).map((url) => `  also on ${url}`),
    ...(isTerminal ? linesForPeople(facts) : []),
  ]
}

function linesForPeople({ server, settings, identity }: StartFacts): readonly string[] {
  const on = features.filter(([isOn]) => isOn(settings)).map(([, text]) => text)
  return [
    ...(isLoopback(server)
      ? ['  Only this machine can connect: --public opens the server to others, --host <address> on one address.']
      : []),
    ...(identity === undefined ? [] : [certificateLine(identity)]),
    ...(settings.server.forwarding?.backends ?? []).map(backendLine),
    ...(on.length === 0 ? [] : [`  On: ${on.join(', ')}`]),
  ]
}

function backendLine({ prefix, name, isStripped }: Backend): string {
  return `  Forwarded: ${prefix} to ${name}${isStripped ? ', without the prefix' : ''}`
}

function certificateLine({ format, fingerprint256 }: TlsIdentity): string {
  const origin = format === 'self-signed' ? 'Certificate, generated for this run' : 'Certificate'
  return `  ${origin}: SHA-256 fingerprint ${fingerprint256 ?? 'unknown'}`
}

/** Settings that differ from the default. */
const features: readonly (readonly [isOn: (settings: ServeSettings) => boolean, text: string])[] = [
  [({ features: { applicationPage } }) => applicationPage !== undefined, 'pages of an application (--spa)'],
  [({ features: { hasLiveReload } }) => hasLiveReload === true, 'reloading (--live)'],
  [({ features: { credentials } }) => credentials !== undefined, 'a password (--auth)'],
  [({ features: { rules } }) => rules?.current !== undefined, 'rules for paths (--no-rules ignores them)'],
  [({ features: { corsOrigin } }) => corsOrigin !== undefined, 'access from other origins (--cors)'],
  [({ server: { isCompressing } }) => isCompressing === true, 'compression (--compress)'],
  [({ features: { visibility } }) => visibility?.allowsDotfiles === true, 'names that begin with a dot (--dotfiles)'],
  [
    ({ features: { visibility } }) => visibility?.allowsOutsideSymlinks === true,
    'links out of the directory (--follow-symlinks)',
  ],
  [({ features: { hasHealthPath } }) => hasHealthPath === true, 'a health check (--health)'],
  [({ logFormat }) => logFormat !== undefined, 'a log (-l)'],
  [({ workers }) => workers > 1, 'several processes (--workers)'],
]

/** The addresses of a server that listens on all interfaces: browsers cannot use 0.0.0.0. */
function networkUrls(server: RunningServer, addresses: readonly NetworkInterfaceInfo[]): readonly string[] {
  if (!listensEverywhere(server)) return []
  // A link-local address needs the name of the interface, which no URL can contain.
  const reachable = addresses.filter(({ family, ...address }) => {
    return family === 'IPv4' || (server.host === '::' && !('scopeid' in address && address.scopeid))
  })
  return reachable.map(({ family, address }) => withHost(server.url, family === 'IPv6' ? `[${address}]` : address))
}

export function listensEverywhere({ host }: RunningServer): boolean {
  return host === '0.0.0.0' || host === '::'
}

function isLoopback({ host }: RunningServer): boolean {
  return host === '::1' || /^127\./.test(host)
}

export function withHost(url: string, host: string): string {
  return url.replace(/\/\/(?:\[[^\]]*\]|[^:/]+)/, `//${host}`)
}
