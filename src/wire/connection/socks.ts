/**
 * Connects through a SOCKS 5 proxy (RFC 1928), with user and password if its URL has them (RFC 1929).
 *
 * Rules: `socks5h` sends the name to the proxy, `socks5` an address that was looked up here. Each answer is read
 * exactly to its end. The bytes of this exchange are not counted in statistics.
 */
import { isIPv4, isIPv6, type Socket } from 'node:net'
import { concatBytes } from '../../message/index.ts'
import type { Deadline } from '../base/abort.ts'
import { placeText } from '../base/address.ts'
import { peerFailure, WireError } from '../base/errors.ts'
import type { Destination } from './connection.ts'
import { percentDecoded, portOfUrl } from './proxy.ts'

const VERSION = 5
const NO_AUTHENTICATION = 0
const USER_AND_PASSWORD = 2
const CONNECT = 1
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const
/** In bytes; a name has its length before it. */
const addressLengths: Readonly<Record<number, number>> = { [addressTypes.ipv4]: 4, [addressTypes.ipv6]: 16 }
/** The maximum size of a field whose length is one byte. */
const MAX_FIELD_OCTETS = 255

/** RFC 1928 section 6. */
const replies: Readonly<Record<number, string>> = {
  1: 'it failed',
  2: 'its rules do not allow it',
  3: 'the network is unreachable',
  4: 'the host is unreachable or its name is unknown',
  5: 'the connection was refused',
  6: 'the time to live expired',
  7: 'it does not know the command',
  8: 'it does not know addresses of this kind',
}

/**
 * @param host a name or an IP address for the proxy to connect to
 * @throws WireError `proxy-refused`; the error of the deadline.
 */
export async function connectThroughSocks(
  socket: Socket,
  proxy: URL,
  host: string,
  { port }: Pick<Destination, 'port'>,
  deadline: Deadline,
): Promise<void> {
  const place = `proxy ${placeText(proxy.hostname, portOfUrl(proxy))}`
  const target = placeText(host, port)
  const reader = new AnswerReader(socket, place, deadline)
  await authenticate(socket, reader, proxy, place)
  const portOctets = Uint8Array.of(port >> 8, port & 0xff)
  socket.write(concatBytes([Uint8Array.of(VERSION, CONNECT, 0), addressOctets(host, place), portOctets]))
  const [version, reply = 0, , type = 0] = await reader.take(4)
  if (version !== VERSION) throw otherProtocol(place)
  if (reply !== 0) {
    const reason = replies[reply] ?? `its answer is ${reply}`
    throw refused(
      `${place} does not connect to ${target}: ${reason}`,
      'Check the host and port, and what the proxy allows',
    )
  }
  // The address that the proxy connects from is skipped.
  const length = addressLengths[type] ?? (type === addressTypes.name ? (await reader.take(1))[0] : undefined)
  if (length === undefined) throw refused(`${place} answered with the unknown address type ${type}`, 'Check the proxy')
  await reader.take(length + 2)
}

function otherProtocol(place: string): WireError {
  return refused(`${place} is not a SOCKS 5 proxy`, 'Check the address and the scheme of the proxy')
}

async function authenticate(socket: Socket, reader: AnswerReader, proxy: URL, place: string): Promise<void> {
  const [user, password] = [proxy.username, proxy.password].map((text) =>
    Uint8Array.from(percentDecoded(text), (character) => character.charCodeAt(0)),
  ) as [Uint8Array, Uint8Array]
  const methods = user.length === 0 ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USER_AND_PASSWORD]
  socket.write(Uint8Array.of(VERSION, methods.length, ...methods))
  const [version, method] = await reader.take(2)
  if (version !== VERSION) throw otherProtocol(place)
  if (method === NO_AUTHENTICATION) return
  if (user.length === 0) {
    throw refused(
      `${place} requires user and password`,
      'Give user and password in the URL of the proxy: socks5h://user:password@host:port',
    )
  }
  if (method !== USER_AND_PASSWORD) {
    throw refused(
      `${place} requires authentication other than user and password`,
      'Allow user and password, or no authentication, in the settings of the proxy',
    )
  }
  if (user.length > MAX_FIELD_OCTETS || password.length > MAX_FIELD_OCTETS) {
    throw refused(`${place}: user or password is longer than ${MAX_FIELD_OCTETS} bytes`, 'Check the URL of the proxy')
  }
  socket.write(concatBytes([Uint8Array.of(1, user.length), user, Uint8Array.of(password.length), password]))
  const [, status] = await reader.take(2)
  if (status !== 0) throw refused(`${place} refused user and password`, 'Check them in the URL of the proxy')
}

function addressOctets(host: string, place: string): Uint8Array {
  if (isIPv4(host)) return Uint8Array.of(addressTypes.ipv4, ...host.split('.').map(Number))
  if (isIPv6(host)) return Uint8Array.of(addressTypes.ipv6, ...ipv6Octets(host))
  const name = Buffer.from(host, 'utf8')
  if (name.length <= MAX_FIELD_OCTETS) return concatBytes([Uint8Array.of(addressTypes.name, name.length), name])
  throw refused(`${place}: the name of the host is longer than ${MAX_FIELD_OCTETS} bytes`, 'Check the host')
}

/** A URL writes every IPv6 address without a zone, in hexadecimal groups. */
function ipv6Octets(host: string): readonly number[] {
  const canonical = new URL(`http://[${host.split('%', 1)[0]}]/`).hostname.slice(1, -1)
  const [before = '', after] = canonical.split('::')
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))
  const missing = 8 - groups(before).length - groups(after ?? '').length
  const all = [
    ...groups(before),
    ...Array.from({ length: after === undefined ? 0 : missing }, () => '0'),
    ...groups(after ?? ''),
  ]
  return all.flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

/** Reads exact numbers of bytes from a socket; later bytes stay there. */
class AnswerReader {
  readonly #socket: Socket
  readonly #place: string
  readonly #deadline: Deadline

  constructor(socket: Socket, place: string, deadline: Deadline) {
    this.#socket = socket
    this.#place = place
    this.#deadline = deadline
  }

  take(count: number): Promise<Uint8Array> {
    const socket = this.#socket
    return this.#deadline.wait<Uint8Array>((resolve, reject) => {
      const fail = (what: string, cause?: unknown): void =>
        reject(refused(`${this.#place}: ${what}`, 'Check the address of the proxy', cause))
      const onReadable = (): void => {
        const octets = socket.read(count) as Uint8Array | null
        // At the end of the stream fewer bytes may be left.
        if (octets !== null && octets.length === count) resolve(octets)
        else if (octets !== null) fail('it closed the connection in the middle of its answer')
      }
      const onEnd = (): void => fail('it closed the connection without an answer')
      const onError = (error: Error): void => fail(peerFailure(error), error)
      socket.on('readable', onReadable).on('end', onEnd).on('error', onError)
      onReadable()
      return () => {
        socket.off('readable', onReadable).off('end', onEnd).off('error', onError)
      }
    })
  }
}

function refused(message: string, hint: string, cause?: unknown): WireError {
  return new WireError('proxy-refused', message, { hint, cause })
}
