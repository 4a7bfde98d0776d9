/**
 * Checks the host names of requests, to prevent DNS rebinding: any site can let its own name resolve to this machine,
 * and its pages could then read the served files as their own origin.
 *
 * Rules: a name that a stranger cannot own always passes: a single label, `localhost`, an IP literal, a special-use
 * domain, this machine's name, the name given as listening address. Every other name needs `--allowed-host`. A server
 * that other machines can reach accepts every name, unless names are given. The host is taken from an absolute target,
 * otherwise from Host; an HTTP/1.0 request with neither passes, because no browser sends one. RFC 9110 section
 * 7.4, RFC 9112 section 3.2.2, RFC 6761, RFC 6762, RFC 8375.
 */

import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Answer, textAnswer } from './answer.ts'
import { ServerError } from './errors.ts'
import type { ServerRequest } from './hooks.ts'

/** Below these, names belong to a machine or a local network, or are not assigned. `.internal` is reserved by ICANN. */
const localDomains = ['localhost', 'local', 'test', 'internal', 'home.arpa', 'lan', 'invalid', 'example'] as const

/** The maximum length of a DNS name: longer texts are shortened in messages. */
const MAX_SHOWN_CHARACTERS = 253

/** Addresses that only this machine can connect to (RFC 6890). */
const loopbackPattern = /^(?:(?:::ffff:)?127\.|::1$)/i

export interface HostSettings {
  /** As `parseAllowedHost` returns them; `*` is every name. */
  readonly names: readonly string[]
  /** The address or name to listen on, as given. */
  readonly listenHost: string
  readonly machineName: string
}

/** A name in its ASCII form, or `*`. @throws HttpcliError `allowed-host` */
export function parseAllowedHost(text: string): string {
  const name = text === '*' ? '*' : withoutDot(domainToASCII(text))
  if (name === '*' || /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name)) return name
  throw new ServerError('allowed-host', `invalid host name ${JSON.stringify(text)}`, {
    hint: 'Expected a name without scheme, port and wildcard, such as app.example.com, or * for every name.',
  })
}

export class AllowedHosts {
  readonly #names: ReadonlySet<string>
  readonly #hasNames: boolean
  /** Names are checked until the address is known. */
  #isChecking: boolean

  constructor({ names, listenHost, machineName }: HostSettings) {
    this.#names = new Set([...names, withoutDot(listenHost.toLowerCase()), withoutDot(machineName.toLowerCase())])
    this.#hasNames = names.length > 0
    this.#isChecking = !names.includes('*')
  }

  /** @param address the address that the server listens on */
  listensOn(address: string): void {
    if (!this.#hasNames && !loopbackPattern.test(address)) this.#isChecking = false
  }

  /** The answer to a request for a name that is not allowed. Pure: the same head gives the same answer. */
  refusalOf(request: ServerRequest): Answer | undefined {
    if (!this.#isChecking) return undefined
    const host = hostOf(request)
    const name = withoutDot(host.toLowerCase())
    if (isLocalName(name) || this.#names.has(name)) return undefined
    const shown = JSON.stringify(host.slice(0, MAX_SHOWN_CHARACTERS))
    return textAnswer(421, `this server does not answer for the host ${shown}; allow it with --allowed-host <name>`)
  }
}

const absoluteTarget = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i

export function hostOf(request: ServerRequest): string {
  const [, authority] = request.target.startsWith('/') ? [] : (absoluteTarget.exec(request.target) ?? [])
  return (authority ?? request.get('host') ?? '').trim().replace(/:\d*$/, '')
}

function isLocalName(name: string): boolean {
  if (!name.includes('.')) return true
  // A top-level domain is never a number, and a name has no brackets.
  if (/\.\d+$/.test(name) || (name.startsWith('[') && isIP(name.slice(1, -1)) === 6)) return true
  return localDomains.some((domain) => name.endsWith(`.${domain}`))
}

function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name
}
