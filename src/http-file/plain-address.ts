/**
 * Recognizes targets whose URL is certain without a parser of URLs.
 *
 * Rules: the host is a name in small letters or an IPv4 address; names in Punycode could change. The port is not a
 * default. Virtual users of k6 call `plainOrigin`: in k6's engine, the first regular expression takes 15 KB of each
 * user, the first iteration over a list 6 KB, and the first use of `String` or `Number` 3 KB.
 */
import { encodePath } from './url-encoding.ts'

/** The beginning of the URL up to the path, if it is certain. */
export function plainOrigin(url: string): string | undefined {
  const start = url.indexOf('//') + 2
  const end = url.indexOf('/', start)
  const scheme = url.slice(0, start)
  if (end === -1 || (scheme !== 'http://' && scheme !== 'https://')) return undefined
  const parts = url.slice(start, end).split(':')
  const host = parts[0] as string
  const port = parts[1] ?? '100'
  const isPort = `${+port}` === port && +port % 1 === 0 && +port > 99 && +port < 65_536
  if (!isPort || port === '443' || parts.length > 2 || host.indexOf('xn--') !== -1) return undefined
  const labels = host.split('.')
  let numbers = 0
  for (let index = 0; index < labels.length; index++) {
    const label = labels[index] as string
    if (`${+label}` === label && +label >= 0 && +label < 256) numbers++
    for (let at = 0; at < label.length; at++) {
      const character = label[at] as string
      const isPlain = (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9')
      if (!isPlain && character !== '-') return undefined
    }
    if (label === '') return undefined
  }
  const last = labels[labels.length - 1] as string
  const isAddress = labels.length === 4 && numbers === 4
  return isAddress || (last >= 'a' && last < '{') ? url.slice(0, end + 1) : undefined
}

/** What a path and a query must not contain, also brackets in a path. */
const unescaped = /[^\w.~!$&'()*+,;=:@/?[\]%-]|%(?![\dA-Fa-f]{2})|^[^?]*[[\]]/

/** The URL as sent; undefined if a parser must decide. */
export function plainAddress(target: string): string | undefined {
  const [, scheme = 'http://', authority = '', rest = ''] = /^(https?:\/\/)?([^/?#]*)([^#]*)/.exec(target) ?? []
  const path = `${rest.startsWith('/') ? '' : '/'}${encodePath(rest)}`
  const url = `${scheme}${authority}${path}`
  return plainOrigin(url) === undefined || unescaped.test(path) ? undefined : url
}
