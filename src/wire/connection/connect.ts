/**
 * Connects a socket: to one of several addresses, or to a Unix domain socket.
 *
 * Rules: addresses are tried in order; the next attempt starts when the previous one has failed or has not been
 * answered within ATTEMPT_DELAY_MS, and the first to connect wins (RFC 8305 section 5; no attempt is abandoned before
 * the deadline, so that slow links still connect). The reported time is the duration of the winning connect call alone.
 */
import type { Deadline } from '../base/abort.ts'
import { type Address, placeText } from '../base/address.ts'
import type { ConnectionListener } from '../base/connection-event.ts'
import { shortageError } from '../base/descriptors.ts'
import { platformCode, platformMessage, WireError, type WireFailure } from '../base/errors.ts'
import type { ExchangeSocket } from '../base/exchange-socket.ts'
import type { Clock } from '../base/timing.ts'
import { openSocket } from './node-socket.ts'

/** RFC 8305 section 8: recommended Connection Attempt Delay. */
const ATTEMPT_DELAY_MS = 250

export interface Connected {
  readonly socket: ExchangeSocket
  readonly connectMs: number
  /** The address that was connected to; undefined for a Unix domain socket. */
  readonly address: Address | undefined
}

/**
 * @param isHandedOn see OpenSocket
 * @throws WireError `connect-refused`, `connect-unreachable`, `connect-failed`, `too-many-open-files`; the error of the
 * deadline.
 */
export function connectTcp(
  host: string,
  port: number,
  addresses: readonly Address[],
  deadline: Deadline,
  clock: Clock,
  isHandedOn: boolean,
  report?: ConnectionListener,
): Promise<Connected> {
  return deadline.wait((resolve, reject) => {
    const attempts = new Set<ExchangeSocket>()
    const failures: Error[] = []
    let next = 0
    let timer: NodeJS.Timeout | undefined
    let winner: ExchangeSocket | undefined

    const tryNext = (): void => {
      clearTimeout(timer)
      const address = addresses[next++]
      if (address === undefined) {
        if (attempts.size === 0) reject(connectError(host, port, addresses, failures))
        return
      }
      let startedAt = clock()
      const socket = openSocket({ host: address.address, port, noDelay: true }, isHandedOn)
      // Node.js starts connecting in a later tick and emits this event; runtimes without it are measured from here.
      socket.once('connectionAttempt', () => {
        startedAt = clock()
      })
      attempts.add(socket)
      socket.once('connect', () => {
        winner = socket
        resolve({ socket, connectMs: clock() - startedAt, address })
      })
      socket.on('error', (error) => {
        if (winner === socket || !attempts.delete(socket)) return
        failures.push(error)
        report?.({ type: 'attempt-failed', address: address.address, port, reason: failureOf(error).text })
        tryNext()
      })
      if (next < addresses.length) timer = setTimeout(tryNext, ATTEMPT_DELAY_MS)
    }
    tryNext()
    return () => {
      clearTimeout(timer)
      for (const socket of attempts) if (socket !== winner) socket.destroy()
      attempts.clear()
    }
  })
}

/** @throws WireError `connect-refused`, `connect-failed`, `too-many-open-files`; the error of the deadline. */
export function connectUnix(path: string, deadline: Deadline, clock: Clock, isHandedOn: boolean): Promise<Connected> {
  return deadline.wait((resolve, reject) => {
    const startedAt = clock()
    const socket = openSocket({ path }, isHandedOn)
    let isConnected = false
    socket.once('connect', () => {
      isConnected = true
      resolve({ socket, connectMs: clock() - startedAt, address: undefined })
    })
    socket.on('error', (error) => reject(unixError(path, error)))
    return () => {
      if (!isConnected) socket.destroy()
    }
  })
}

const failuresByCode: Readonly<Record<string, WireFailure>> = {
  ECONNREFUSED: {
    code: 'connect-refused',
    text: 'connection refused',
    hint: 'Check that the server is running and that the port is right',
  },
  EHOSTUNREACH: { code: 'connect-unreachable', text: 'host unreachable', hint: 'Check the address and the network' },
  ENETUNREACH: { code: 'connect-unreachable', text: 'network unreachable', hint: 'Check the network connection' },
  ETIMEDOUT: {
    code: 'connect-timeout',
    text: 'no answer',
    hint: 'Check the address, the port and any firewall in between',
  },
}

function connectError(
  host: string,
  port: number,
  addresses: readonly Address[],
  failures: readonly Error[],
): WireError {
  const cause = failures[0]
  const shortage = shortageError(placeText(host, port), cause)
  if (shortage !== undefined) return shortage
  const { code, text, hint } = failureOf(cause)
  const tried = addresses.map(({ address }) => address).filter((address) => address !== host)
  const where = tried.length === 0 ? '' : ` (tried ${tried.join(', ')})`
  return new WireError(code, `${placeText(host, port)}: ${text}${where}`, { hint, cause })
}

function failureOf(cause: Error | undefined): WireFailure {
  return (
    failuresByCode[platformCode(cause)] ?? {
      code: 'connect-failed',
      text: cause === undefined ? 'the name has no address' : `connecting failed (${platformMessage(cause)})`,
      hint: 'Check the address and the port',
    }
  )
}

const unixFailures: Readonly<Record<string, string>> = {
  ENOENT: 'the socket does not exist',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
  ENOTSOCK: 'that is not a socket',
}

function unixError(path: string, error: Error): WireError {
  const shortage = shortageError(`socket ${path}`, error)
  if (shortage !== undefined) return shortage
  const code = platformCode(error) === 'ECONNREFUSED' ? 'connect-refused' : 'connect-failed'
  const what = unixFailures[platformCode(error)] ?? `connecting failed (${platformMessage(error)})`
  return new WireError(code, `socket ${path}: ${what}`, {
    hint: 'Check the path and that the server is running',
    cause: error,
  })
}
