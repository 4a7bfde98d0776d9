/**
 * Parses the arguments that form a request: a method, a URL, items.
 *
 * Rules: an existing file is a request file; a method precedes a URL; http is the default scheme, even before `://`.
 * One slash or three after http: or https: are read as two, as in browsers and curl. User and password of a URL become
 * credentials, because a request line must not contain them (RFC 9110 section 4.2.4).
 */
import { decodedComponent, encodePath } from '../../../http-file/index.ts'
import { hasFileEnding, hasScheme, isMethodWord, isUrlWord, withSlashes } from '../../frame/request-words.ts'
import { UsageError } from '../../frame/usage-error.ts'

export interface RequestLineWords {
  /** Undefined if none is given. */
  readonly method: string | undefined
  /** As typed. */
  readonly url: string
  readonly items: readonly string[]
}

/**
 * Undefined without arguments, or if they name a file.
 * @throws UsageError for any other arguments
 */
export function requestLineWords(
  words: readonly string[],
  isFile: (name: string) => boolean,
): RequestLineWords | undefined {
  const [first, second] = words
  if (first === undefined || first === '-') return onlyWord(words)
  if (isMethodWord(first) && second !== undefined && isUrlWord(second)) {
    return { method: first, url: second, items: words.slice(2) }
  }
  if (!hasScheme(first) && isFile(first)) return onlyWord(words)
  if (isUrlWord(first)) return { method: undefined, url: first, items: words.slice(1) }
  if (/^[A-Z]+ \S/.test(first)) {
    throw new UsageError(`"${first}" is the text of a request, not a file`, { hint: 'Write -t before it' })
  }
  checkSlashes(isMethodWord(first) ? second : first)
  if (isMethodWord(first)) {
    throw second === undefined
      ? new UsageError(`${first} is a method, and no URL follows it`, { hint: `Write ${first} <url>` })
      : new UsageError(`"${second}" after the method ${first} is not a URL`, { hint: hostHint(second) })
  }
  if (second === undefined) return undefined
  if (isMethodWord(first.toUpperCase()) && isUrlWord(second)) {
    throw new UsageError(`"${first}" is neither a method nor a file`, {
      hint: `Write ${first.toUpperCase()} ${second}`,
    })
  }
  if (hasFileEnding(first)) {
    throw new UsageError(`unexpected argument "${second}" after the file ${first}`, {
      hint: 'Give one request file; httpcli run takes several',
    })
  }
  throw new UsageError(`"${first}" is neither a file nor a URL`, { hint: hostHint(first) })
}

/** @throws UsageError for `http:host` */
function checkSlashes(word = ''): void {
  const url = withSlashes(word)
  if (url !== undefined) throw new UsageError(`"${word}" has no // after the scheme`, { hint: `Write ${url}` })
}

function hostHint(word: string): string {
  if (word === '*') {
    return "Write the request as text: printf 'OPTIONS * HTTP/1.1\\nHost: localhost:8080\\n\\n' | httpcli send -f -"
  }
  if (/^\/(?!\/)/.test(word)) return `A path needs a host before it: write :3000${word} for port 3000 of this machine`
  return `A host has a dot, a colon or a slash, or is localhost: write http://${word.replace(/^\/+/, '')} for a host of this name`
}

function onlyWord([first, extra]: readonly string[]): undefined {
  if (extra === undefined) return undefined
  throw new UsageError(`unexpected argument "${extra}"`, {
    hint: `${first === '-' ? 'Standard input' : `The file ${first}`} is the request; what follows a URL may be items such as name=value`,
  })
}

export interface RequestUrl {
  /** Absolute, without user, password and fragment. Characters that are not allowed in a URL are escaped. */
  readonly url: string
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

/** @throws UsageError */
export async function requestUrl(
  word: string,
  query: readonly (readonly [name: string, value: string])[],
  defaultScheme: 'http' | 'https',
): Promise<RequestUrl> {
  if (/^https?\/\//i.test(word)) {
    throw new UsageError(`"${word}" has no colon after the scheme`, { hint: `Write ${word.replace('//', '://')}` })
  }
  const [, scheme = `${defaultScheme}://`, userAndHost = '', rest = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?([^/?#]*)(.*)$/s.exec(withScheme(word, defaultScheme)) ?? []
  const at = userAndHost.lastIndexOf('@')
  const host = userAndHost.slice(at + 1)
  if (host === '' && !/^https?:/i.test(scheme)) {
    throw new UsageError(`the URL has the scheme ${scheme.slice(0, -3)}, expected http or https`)
  }
  const authority = `${host.startsWith(':') ? 'localhost' : ''}${host}`.replace(/:$/, '')
  const url = `${scheme}${asciiHost(authority, word)}${await target(rest, query)}`
  if (at === -1) return { url, credentials: undefined }
  const [user = '', ...password] = userAndHost.slice(0, at).split(':')
  return { url, credentials: { user: decodedComponent(user), password: decodedComponent(password.join(':')) } }
}

function withScheme(word: string, defaultScheme: string): string {
  return word.startsWith('://') ? `${defaultScheme}${word}` : word.replace(/^(https?:)\/{1,3}(?!\/)/i, '$1//')
}

/** @throws UsageError */
function asciiHost(authority: string, word: string): string {
  if (/^[\x21-\x7e]*$/.test(authority)) return authority
  if (URL.canParse(`http://${authority}/`)) return new URL(`http://${authority}/`).host
  throw new UsageError(`"${word}" has no valid host name`, { hint: 'Check the spelling of the host' })
}

async function target(rest: string, query: readonly (readonly [string, string])[]): Promise<string> {
  const [typed = ''] = rest.split('#', 1)
  const path = encodePath(typed.startsWith('/') ? typed : `/${typed}`)
  if (query.length === 0) return path
  const parameters = new URLSearchParams(query.map(([name, value]) => [name, value])).toString()
  return `${path}${path.includes('?') ? (/[?&]$/.test(path) ? '' : '&') : '?'}${parameters}`
}
