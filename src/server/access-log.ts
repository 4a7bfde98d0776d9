/**
 * One line of the access log for one answered request.
 *
 * Rules: `address [time] "request line" status body-octets`, the time in local time with its offset. What a client sent
 * is text of a stranger: control characters, octets past ASCII, quotation marks and backslashes are escaped, so that no
 * request forges a line or speaks to a terminal.
 */

/** What became of one request. Given to `onAnswer` when the last octet of the answer has been handed to the system. */
export interface AnsweredRequest {
  readonly remoteAddress: string
  readonly answeredAt: Date
  /** As received, without its line end; undefined where not even a request line could be read. */
  readonly requestLine: string | undefined
  readonly status: number
  /** Octets of the body that were sent; fewer than announced where the client went away. */
  readonly bodyBytes: number
  /** From the end of the request's head to the end of the answer. */
  readonly durationMs: number
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Without a line end. `offsetMinutes`: local time minus UTC, as the log shall show it. */
export function formatLogLine(
  entry: AnsweredRequest,
  offsetMinutes: number = -entry.answeredAt.getTimezoneOffset(),
): string {
  const requestLine = entry.requestLine === undefined ? '-' : escapeForLog(entry.requestLine)
  const time = formatLogTime(entry.answeredAt, offsetMinutes)
  return `${entry.remoteAddress} [${time}] "${requestLine}" ${entry.status} ${entry.bodyBytes}`
}

function formatLogTime(time: Date, offsetMinutes: number): string {
  const local = new Date(time.getTime() + offsetMinutes * 60_000)
  const date = `${two(local.getUTCDate())}/${monthNames[local.getUTCMonth()]}/${local.getUTCFullYear()}`
  const clock = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()].map(two).join(':')
  const offset = Math.abs(offsetMinutes)
  return `${date}:${clock} ${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}${two(offset % 60)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** Shows an octet string as printable ASCII: `\xHH` for what is not, `\"` and `\\`. */
function escapeForLog(text: string): string {
  return text.replace(/[^ !#-[\]-~]/g, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}
