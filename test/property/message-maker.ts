/**
 * Messages by the ten thousand: right ones of every kind, odd ones that the grammar just allows or just forbids, and
 * damaged ones.
 *
 * Rules: a message is a string of one character per byte and follows from its seed alone. Values have lengths around
 * multiples of eight and odd bytes at every place of a word, since a fast reader looks at eight bytes at a time.
 */
import type { Role } from '../../src/message/index.ts'
import { requestHeads, responseHeads } from './known-heads.ts'
import {
  bodyText,
  codingValues,
  connectionValues,
  expectValues,
  five,
  hosts,
  lengthValues,
  methods,
  nearNames,
  oddHosts,
  oddMethods,
  oddStatuses,
  oddTargets,
  oddVersions,
  pathText,
  plainNames,
  queryText,
  reasons,
  rightLines,
  sizeLines,
  splinters,
  tellingBodies,
  tellingHosts,
  tellingLines,
  tokenText,
  valueText,
  versions,
} from './message-parts.ts'
import type { Random } from './random.ts'

/** One or more messages in a row, as one side of a connection sends them; a part of them damaged. */
export function makeConnection(random: Random, role: Role): string {
  let octets = ''
  const count = random.once(4) ? random.between(2, 4) : 1
  for (let i = 0; i < count; i++) octets += makeMessage(random, role)
  const damages = random.once(4) ? random.between(1, 3) : 0
  for (let i = 0; i < damages; i++) octets = damaged(random, octets, role)
  return octets
}

/** One message with its content. Every eighth time something in it is odd. */
function makeMessage(random: Random, role: Role): string {
  if (random.once(3)) return nearlyCanonical(random, role)
  const isOdd = random.once(8)
  const head = random.once(4)
    ? random.pick(role === 'server' ? requestHeads : responseHeads)
    : startLine(random, role, isOdd) + fields(random, role, isOdd)
  return head + framed(random, isOdd)
}

/** A framing line, and content that agrees with it. */
const framings: readonly (readonly [string | undefined, string])[] = [
  ['Transfer-Encoding: chunked', five],
  ['Content-Length: 5', 'hello'],
  [undefined, ''],
]

/** A head as a fast reader likes it, and in it one or two lines that matter. */
function nearlyCanonical(random: Random, role: Role): string {
  const version = random.once(6) ? 'HTTP/1.0' : 'HTTP/1.1'
  const path = `/${random.text(pathText, random.below(12))}${random.once(4) ? random.pick(['?a=b', '%41', '%4', '%4g', '%g4', '%4%', '%', '?%zz', '?{']) : ''}`
  const status = `${version} ${random.pick(['200', '204', '304', '404', '100', '101', '300', '199'])} OK`
  const start = role === 'server' ? `${random.pick(methods)} ${path} ${version}` : status
  const lines = Array.from(
    { length: random.below(4) },
    () => `${random.pick(plainNames)}: ${random.text(valueText, random.below(20))}`,
  )
  if (role === 'server' && !random.once(12)) lines.push(`Host: ${random.once(3) ? random.pick(tellingHosts) : 'a'}`)
  for (let count = random.between(0, 2); count > 0; count--) {
    lines.splice(random.below(lines.length + 1), 0, random.pick(random.once(2) ? rightLines : tellingLines))
  }
  const [framingLine, agreeing] = random.pick(framings)
  if (framingLine !== undefined) lines.splice(random.below(lines.length + 1), 0, framingLine)
  const body = random.once(2) ? random.pick(tellingBodies) : agreeing
  return `${[start, ...lines].join('\r\n')}\r\n\r\n${body}`
}

function startLine(random: Random, role: Role, isOdd: boolean): string {
  const version = isOdd && random.once(6) ? random.pick(oddVersions) : random.pick(versions)
  const space = isOdd && random.once(12) ? random.pick(['  ', '\t', '', ' \t ', '\x0b']) : ' '
  if (role === 'client') {
    const status =
      isOdd && random.once(4)
        ? random.pick(oddStatuses)
        : random.pick(['200', '204', '304', '404', '206', '100', '200'])
    const reason = random.pick(isOdd ? reasons : reasons.slice(0, 6))
    return `${version}${space}${status}${random.once(10) ? '' : ` ${reason}`}\r\n`
  }
  const method = isOdd && random.once(4) ? random.pick(oddMethods) : random.pick(methods)
  const leading =
    isOdd && random.once(10) ? random.pick(['\r\n', '\n', ' ', '\r\n\r\n', '\xef\xbb\xbf', '\xef\xbb']) : ''
  return `${leading}${method}${space}${target(random, method, isOdd)}${space}${version}\r\n`
}

function target(random: Random, method: string, isOdd: boolean): string {
  if (isOdd && random.once(3)) return random.pick(oddTargets)
  if (method === 'CONNECT') return random.pick(['a:1', 'example.com:443', '[::1]:80', 'a:', 'a', '/'])
  if (method === 'OPTIONS' && random.once(2)) return '*'
  const path = `/${random.text(pathText, random.below(30))}`
  const query = random.once(3) ? `?${random.text(queryText, random.below(20))}` : ''
  const escaped = random.once(5) ? random.pick(['%20', '%2F', '%ff', '%C3%A4']) : ''
  return random.once(12) ? `http://${random.pick(hosts)}${path}${escaped}${query}` : path + escaped + query
}

function fields(random: Random, role: Role, isOdd: boolean): string {
  const lines: string[] = []
  for (let count = random.once(60) ? random.between(90, 110) : random.below(9); count > 0; count--)
    lines.push(field(random, isOdd))
  const insert = (line: string): void => void lines.splice(random.below(lines.length + 1), 0, line)
  if (role === 'server' && !random.once(25)) {
    insert(
      `${random.pick(['Host', 'Host', 'host', 'HOST'])}:${blanks(random)}${isOdd && random.once(5) ? random.pick(oddHosts) : random.pick(hosts)}${random.once(9) ? ' ' : ''}\r\n`,
    )
    if (isOdd && random.once(12)) insert(`Host: ${random.pick(hosts)}\r\n`)
  }
  if (random.once(4))
    insert(
      `${random.pick(['Connection', 'connection', 'CONNECTION'])}:${blanks(random)}${random.pick(connectionValues)}\r\n`,
    )
  if (random.once(12)) insert(`Expect: ${random.pick(expectValues)}\r\n`)
  if (random.once(12)) insert(`Upgrade: ${random.pick(['websocket', 'h2c', 'a/1, b', ''])}\r\n`)
  if (random.once(25)) insert(`Trailer: X\r\n`)
  return lines.join('')
}

function blanks(random: Random): string {
  return random.once(6) ? random.pick(['', '  ', '\t', ' \t ', '        ']) : ' '
}

function field(random: Random, isOdd: boolean): string {
  if (isOdd && random.once(8)) return oddField(random)
  const name = random.once(8)
    ? random.pick(nearNames)
    : random.once(3)
      ? random.text(tokenText, random.between(1, 24))
      : random.pick(plainNames)
  return `${name}:${blanks(random)}${value(random, isOdd)}${random.once(8) ? random.pick([' ', '\t', '   ']) : ''}\r\n`
}

function value(random: Random, isOdd: boolean): string {
  const length = random.once(150) ? random.between(200, 3000) : random.below(40)
  let text = random.text(valueText, length)
  const insert = (octet: string): void => {
    const at = random.below(text.length + 1)
    text = text.slice(0, at) + octet + text.slice(at)
  }
  if (random.once(3)) insert(random.pick([' ', '\t', ', ', '; ']))
  if (random.once(6)) insert(String.fromCharCode(random.between(0x80, 0xff)))
  if (isOdd && random.once(6))
    insert(random.pick(['\0', '\x01', '\x0b', '\x1f', '\x7f', '\r', '\n', '\r\n ', '\r\n\t']))
  return text
}

function oddField(random: Random): string {
  const name = random.text(tokenText, random.between(1, 9))
  return random.pick([
    `${name} : x\r\n`,
    `${name}\r\n`,
    `: x\r\n`,
    ` ${name}: x\r\n`,
    `${name}: x\n`,
    `${name}: x\r\r\n`,
    `${name}: x\rY: z\r\n`,
    `${name}: x\r\n y\r\n`,
    `${name}(: x\r\n`,
    `na\x80me: x\r\n`,
    `Host\0: x\r\n`,
    `\r\n`,
  ])
}

/** Framing fields, the empty line, and content that agrees with them, or does not. */
function framed(random: Random, isOdd: boolean): string {
  const body = random.text(bodyText, random.once(30) ? random.between(100, 9000) : random.below(20))
  if (random.once(3)) return `\r\n${random.once(16) ? body : ''}`
  if (isOdd && random.once(2)) return oddlyFramed(random, body)
  if (random.once(2))
    return `${random.pick(['Content-Length', 'content-length', 'CONTENT-LENGTH'])}: ${body.length}\r\n\r\n${body}`
  return `${random.pick(['Transfer-Encoding', 'transfer-encoding'])}: chunked\r\n\r\n${chunks(random, body, isOdd)}`
}

function oddlyFramed(random: Random, body: string): string {
  const length = `${random.pick(['Content-Length', 'content-length'])}:${blanks(random)}${random.pick(lengthValues)}\r\n`
  const coding = `${random.pick(['Transfer-Encoding', 'transfer-encoding'])}:${blanks(random)}${random.pick(codingValues)}\r\n`
  const lines = random.pick([
    [length],
    [coding],
    [length, coding],
    [coding, length],
    [length, length],
    [coding, coding],
  ])
  return `${lines.join('X: y\r\n')}\r\n${random.once(2) ? body : chunks(random, body, true)}`
}

function chunks(random: Random, body: string, isOdd: boolean): string {
  let text = ''
  for (let at = 0; at < body.length; ) {
    const sizeBytes = Math.min(body.length - at, random.between(1, body.length))
    const digits = random.once(4)
      ? sizeBytes.toString(16).toUpperCase().padStart(random.between(1, 5), '0')
      : sizeBytes.toString(16)
    const extension = random.once(6) ? random.pick([';a', ';a=b', ';a="b;c"', ' ; a = b', ';a;b=c']) : ''
    const line = isOdd && random.once(6) ? random.pick(sizeLines) : digits + extension
    const end = isOdd && random.once(12) ? random.pick(['\n', '\r', '', 'x\r\n', '\r\r\n']) : '\r\n'
    text += `${line}\r\n${body.slice(at, at + sizeBytes)}${end}`
    at += sizeBytes
  }
  const last = random.once(8) ? random.pick(['00', '0;x', '0 ', '000000']) : '0'
  let trailers = ''
  for (let count = random.once(4) ? random.between(1, 3) : 0; count > 0; count--) trailers += field(random, isOdd)
  return `${text}${last}\r\n${trailers}${isOdd && random.once(10) ? '' : '\r\n'}`
}

/** One change: bytes inserted, replaced, removed, doubled, exchanged or cut off, or the end of another message. */
export function damaged(random: Random, octets: string, role: Role): string {
  // Most of what decides is in the first bytes and around the end of the head.
  const at = random.once(2) ? random.below(Math.min(octets.length, 120) + 1) : random.below(octets.length + 1)
  const [before, behind] = [octets.slice(0, at), octets.slice(at)]
  switch (random.below(8)) {
    case 0:
      return before + random.pick(splinters) + behind
    case 1:
      return before + random.pick(splinters) + behind.slice(random.between(1, 4))
    case 2:
      return before + String.fromCharCode(random.below(256)) + behind.slice(1)
    case 3:
      return before + behind.slice(random.between(1, 8))
    case 4:
      return before + behind.slice(0, random.between(1, 12)) + behind
    case 5:
      return before
    case 6:
      return before + flipped(random, behind)
    default: {
      const other = makeMessage(random, role)
      return before + other.slice(random.below(other.length))
    }
  }
}

function flipped(random: Random, text: string): string {
  if (text === '') return text
  return String.fromCharCode(text.charCodeAt(0) ^ (1 << random.below(8))) + text.slice(1)
}
