/**
 * Resolves a host and a port to addresses that a socket can connect to.
 *
 * Rules: a `resolve` entry overrides everything; an IP address needs no look-up; names are resolved by the system
 * (hosts file included), and address families alternate in the order of its answer (RFC 8305 section 4). Names below
 * localhost are this machine (RFC 6761 section 6.3).
 */
import type { Deadline } from './abort.ts'
import { shortageError } from './descriptors.ts'
import { platformCode, platformMessage, WireError } from './errors.ts'
import { isIP } from './ip-address.ts'
import type { ResolveEntry } from './options.ts'
import type { Clock } from './timing.ts'

export interface Address {
  readonly address: string
  readonly family: 4 | 6
}

/** The host of a URL as the resolver and the socket expect it: no brackets around IPv6, no trailing dot. */
export function bareHost(host: string): string {
  if (host.startsWith('[') && host.endsWith(']')) return host.slice(1, -1)
  return host.length > 1 && host.endsWith('.') ? host.slice(0, -1) : host
}

/** A host that the user wrote, as a URL has it: lower case, non-ASCII names in their ASCII form (RFC 5890). */
export function urlHost(host: string): string {
  const isAscii = /^[\0-\x7f]*$/.test(host)
  return !isAscii && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host.toLowerCase()
}

/** `example.com port 80`, for messages. */
export function placeText(host: string, port: number): string {
  return `${host} port ${port}`
}

export interface LookUp {
  /** In the order in which they are tried. */
  readonly addresses: readonly Address[]
  /** 0 if no look-up was needed. */
  readonly dnsMs: number
}

/** @throws WireError `name-not-found`, `name-lookup-failed`, `too-many-open-files`; the error of the deadline. */
export async function lookUp(
  host: string,
  port: number,
  entries: readonly ResolveEntry[],
  deadline: Deadline,
  clock: Clock,
): Promise<LookUp> {
  const matching = entriesOf(host, port, entries)
  if (matching.length > 0) {
    return { addresses: matching.flatMap((entry) => addressOf(bareHost(entry.address)) ?? []), dnsMs: 0 }
  }
  const own = addressOf(host)
  if (own !== undefined) return { addresses: [own], dnsMs: 0 }
  const { lookup } = await import('node:dns')
  const askedAt = clock()
  const addresses = await deadline.wait<readonly Address[]>((resolve, reject) => {
    lookup(resolverName(host), { all: true, verbatim: true }, (error, found) => {
      if (error !== null) reject(lookUpError(host, error))
      else resolve(takingTurns(found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))))
    })
    return () => undefined
  })
  return { addresses, dnsMs: clock() - askedAt }
}

/** Resolvers treat names below localhost differently, and none may query the network for them. */
function resolverName(host: string): string {
  return /\.localhost$/i.test(host) ? 'localhost' : host
}

/** Entries for the host, otherwise those for `*`. */
export function entriesOf(host: string, port: number, entries: readonly ResolveEntry[]): readonly ResolveEntry[] {
  const forPort = entries.filter((entry) => entry.port === port)
  const forHost = forPort.filter((entry) => urlHost(bareHost(entry.host)) === host.toLowerCase())
  return forHost.length > 0 ? forHost : forPort.filter((entry) => entry.host === '*')
}

function addressOf(text: string): Address | undefined {
  const family = isIP(text)
  return family !== 0 ? { address: text, family } : undefined
}

function lookUpError(host: string, error: Error): WireError {
  const shortage = shortageError(host, error)
  if (shortage !== undefined) return shortage
  if (platformCode(error) === 'ENOTFOUND') {
    return new WireError('name-not-found', `the name ${host} was not found`, {
      hint: 'Check the spelling of the host',
      cause: error,
    })
  }
  return new WireError('name-lookup-failed', `looking up the name ${host} failed (${platformMessage(error)})`, {
    hint: 'Check the network connection and the name server',
    cause: error,
  })
}

function takingTurns(addresses: readonly Address[]): readonly Address[] {
  const first = addresses[0]
  if (first === undefined) return []
  const same = addresses.filter(({ family }) => family === first.family)
  const other = addresses.filter(({ family }) => family !== first.family)
  const turns: Address[] = []
  for (let i = 0; i < Math.max(same.length, other.length); i++) {
    for (const list of [same, other]) {
      const address = list[i]
      if (address !== undefined) turns.push(address)
    }
  }
  return turns
}
