/**
 * Repairs invalid text copied from browsers and proxies into the intended request.
 *
 * Rules: only a text that would be an error is repaired. HTTP/2 in the request line, pseudo-header fields (`:authority:
 * host`), names and values on separate lines, and characters that a URL must escape are repaired, each with a notice.
 * Browsers use HTTP/2 only over TLS, so such a request is sent with https (RFC 9113 section 3.2).
 */
import { encodePath } from '../../../http-file/index.ts'
import { octetString, octetsOf } from '../../../message/index.ts'
import { urlText } from '../../../message-node/index.ts'
import { copiedLines } from './copied-lines.ts'

export interface RepairedText {
  readonly bytes: Uint8Array
  /** The repairs, one sentence each. */
  readonly notices: readonly string[]
  /** Whether the request is sent over TLS unless its text has a scheme. */
  readonly isOverTls: boolean
}

export interface RepairSettings {
  /** Whether the connection uses a Unix domain socket, so that no host is needed. */
  readonly needsNoHost: boolean
}

/** Undefined if no repair is needed. */
export function repairedText(bytes: Uint8Array, { needsNoHost }: RepairSettings): RepairedText | undefined {
  const notices: string[] = []
  const text = copiedLines(octetString(bytes).replace(/^(?:\r?\n)+/, ''), notices)
  const [, ofLines = '', afterLines = ''] = /^(.*?)(\r?\n\r?\n.*)?$/s.exec(text) ?? []
  const paired = pairedLines(text, notices)
  const rest = paired?.rest ?? afterLines
  const plain = withoutPseudoFields(paired?.lines ?? ofLines.split(/\r?\n/), notices)
  const [start = '', ...fields] = plain
  const { line, isOverTls } = repairedStartLine(start, notices)
  const hasHost = /^[A-Za-z]+ [a-z]+:\/\//i.test(line) || fields.some((field) => /^host[ \t]*:/i.test(field))
  const isHostMissing = needsNoHost && !hasHost
  if (notices.length === 0 && !isHostMissing) return undefined
  const lines = [line, ...(isHostMissing ? ['Host: localhost'] : []), ...fields]
  return { bytes: octetsOf(lines.join('\r\n') + (rest === '' ? '\r\n\r\n' : rest)), notices, isOverTls }
}

const pseudoName = /^:(?:authority|method|path|scheme):?[ \t]*$/

/** A name on a separate line: a token, optionally with a colon. */
const nameLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:?[ \t]*$/

/**
 * Joins names and values on separate lines, the format that Chrome's developer tools copy, to header lines. A value may
 * be empty; an empty line instead of a name ends the head. Undefined for other texts.
 */
function pairedLines(
  text: string,
  notices: string[],
): { readonly lines: readonly string[]; readonly rest: string } | undefined {
  const lines = text.split(/\r?\n/)
  const hasRequestLine = /^[A-Z]+ \S.* HTTP\/\d/.test(lines[0] ?? '')
  const first = hasRequestLine ? 1 : 0
  const begin = lines[first] ?? ''
  if (!pseudoName.test(begin) && !(hasRequestLine && nameLine.test(begin))) return undefined
  const joined: string[] = []
  let at = first
  while ((lines[at] ?? '').trim() !== '') {
    const name = (lines[at] as string).trim().replace(/:$/, '')
    // Chrome explains x-client-data on additional lines.
    if (name === 'Decoded') at = lines.indexOf('}', at) === -1 ? lines.length : lines.indexOf('}', at) + 1
    else {
      joined.push(`${name}: ${(lines[at + 1] ?? '').trim()}`)
      at += 2
    }
  }
  notices.push('names and values on separate lines are read as header lines')
  const rest = lines.slice(at + 1).join('\r\n')
  return { lines: [...lines.slice(0, first), ...joined], rest: rest.trim() === '' ? '' : `\r\n\r\n${rest}` }
}

/** Replaces HTTP/2 pseudo-header fields with a request line (RFC 9113 section 8.3.1). */
function withoutPseudoFields(lines: readonly string[], notices: string[]): readonly string[] {
  const pseudo = new Map<string, string>()
  const others = lines.filter((line) => {
    const [, name, value] = /^:(authority|method|path|scheme):(.*)$/.exec(line) ?? []
    if (name !== undefined) pseudo.set(name, (value ?? '').trim())
    return name === undefined
  })
  const authority = pseudo.get('authority')
  if (authority === undefined) return lines
  const [, givenMethod, givenPath] = /^([A-Za-z]+) (\/.*?)(?: HTTP\/[\d.]+)?$/.exec(others[0] ?? '') ?? []
  const fields = givenMethod === undefined ? others : others.slice(1)
  const scheme = pseudo.get('scheme') ?? 'https'
  const path = pseudo.get('path') ?? givenPath ?? '/'
  const method = pseudo.get('method') ?? givenMethod ?? 'GET'
  const isAsterisk = path === '*'
  const line = isAsterisk ? `${method} *` : `${method} ${scheme}://${authority}${path}`
  notices.push(`the HTTP/2 pseudo-header fields are read as the request line: ${line}`)
  const host = isAsterisk ? [`Host: ${authority}`] : []
  const version = isAsterisk && scheme === 'https' ? 'HTTP/2' : 'HTTP/1.1'
  return [`${line} ${version}`, ...host, ...fields.filter((field) => field !== '')]
}

interface StartLine {
  readonly line: string
  readonly isOverTls: boolean
}

function repairedStartLine(line: string, notices: string[]): StartLine {
  // In separate steps: a single pattern would try every way to divide a long run of blanks.
  const method = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?=[ \t])/.exec(line)?.[0]
  if (method === undefined) return { line, isOverTls: false }
  const rest = line.slice(method.length).trim()
  const found = /[ \t]HTTP\/(\d(?:\.\d)?)$/.exec(rest)
  const version = found?.[1]
  const typed = rest.slice(0, found?.index ?? rest.length).trimEnd()
  if (/[ \t]HTTP\/\d/.test(typed)) return { line, isOverTls: false }
  const isNewer = version !== undefined && /^[23]/.test(version)
  const isOverTls = isNewer && !/^http:/i.test(typed)
  if (isNewer) {
    const transport = isOverTls ? ' over TLS' : ''
    notices.push(`HTTP/${version} in the request line is read as HTTP/1.1${transport}; --http2 offers HTTP/2`)
  }
  const escaped = escapedTarget(typed)
  const misspelt = /[ \t](HTTP\/?[ \t]?\d\S*)$/i.exec(typed)?.[1]
  if (misspelt !== undefined) {
    notices.push(`${JSON.stringify(misspelt)} is not an HTTP version, and becomes part of the URL; write HTTP/1.1`)
  }
  if (escaped !== typed) notices.push(`characters of the URL are escaped: ${escaped}`)
  const kept = isNewer || version === undefined ? '1.1' : version
  return { line: `${method} ${escaped} HTTP/${kept}`, isOverTls }
}

/** Path and query with the escapes that `run` would send, and the host in its ASCII form (RFC 5891 section 4.4). */
function escapedTarget(target: string): string {
  const [, origin = '', path = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*|[^/?#\s]*)(.*)$/s.exec(target) ?? []
  const text = urlText(path.replace(/#.*$/s, ''))
  // A backslash is probably a shell's line continuation that was not processed.
  const isKept = (path !== '' && !/^[/?]/.test(path)) || /[\x00-\x08\x0a-\x1f\\\x7f]/.test(path)
  return isKept ? target : asciiOrigin(origin) + (path === '' ? '' : encodePath(text))
}

function asciiOrigin(origin: string): string {
  if (/^[\x00-\x7f]*$/.test(origin)) return origin
  const [scheme = '', host = ''] = Buffer.from(origin, 'latin1').toString('utf8').split('://')
  const url = `http://${host}/`
  return host.includes('@') || !URL.canParse(url) ? origin : `${scheme}://${new URL(url).host}`
}
