/**
 * Recognises methods and URLs among command-line arguments, by their form alone.
 *
 * Rules: a method is upper case; a host has a dot, a colon or a slash, or is `localhost`. A word that looks like a
 * local path (`./a`, `/a`, `~/a`, any backslash), or like a file name without a host before it (`login.http`), is not a
 * URL; only extensions that are not top-level domains mark a file name. The file system is not consulted.
 */

/** `GET`, `M-SEARCH`. */
export function isMethodWord(word: string): boolean {
  return /^[A-Z][A-Z0-9_-]*$/.test(word)
}

/** Whether a word has the extension of a request or body file, in any directory. */
export function hasFileEnding(word: string): boolean {
  return fileEnding.test(word)
}

const fileEnding = /\.(?:http|rest|txt|json|xml|raw|req|bin|ya?ml|csv|html?)$/i
/** A host, optionally with user and password before it and a port after it. */
const authorityPattern = /^(?:[^@/?#\s]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\x00-\x2c/:;<=>?@[\\\]^`{|}\x7f]+)(?::\d*)?$/

/** `http://host`, `host.example/path`, `host:80`, `:3000/path`, `localhost`. */
export function isUrlWord(word: string): boolean {
  if (hasScheme(word)) return true
  if (/^:\d*(?:[/?#]|$)/.test(word)) return word !== ':'
  if (/^[./~-]|[\r\n\\]/.test(word)) return false
  const [authority = ''] = word.split(/[/?#]/, 1)
  if (!authorityPattern.test(authority)) return false
  if (/^localhost$/i.test(authority) || authority.includes(':')) return true
  if (!authority.includes('.')) return word.charAt(authority.length) === '/' && !fileEnding.test(word)
  return word.length > authority.length || !fileEnding.test(word)
}

/** Whether a word is a URL even if a file has that name. */
export function hasScheme(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word)
}

/** `http://host` for `http:host` and `http:\\host`; undefined for other words. */
export function withSlashes(word: string): string | undefined {
  const [, scheme, rest = ''] = /^(https?:)[/\\]*([^/\\].*)$/i.exec(word) ?? []
  return scheme === undefined || isUrlWord(word) ? undefined : `${scheme}//${rest.replaceAll('\\', '/')}`
}

/**
 * Whether a command line without a sub-command is a request: `httpcli URL`, `httpcli METHOD URL`, or options before
 * them.
 * @param isFile whether a name is an existing file, which is never taken for a host; not called for `http://host`
 */
export function isRequestLine(words: readonly string[], isFile: (name: string) => boolean): boolean {
  const [first, second] = words
  if (first === undefined) return false
  const isUrl = (word: string): boolean => hasScheme(word) || (isUrlWord(word) && !isFile(word))
  if (first.startsWith('-')) return words.some(isUrl)
  if (isMethodWord(first)) return second !== undefined
  return isUrl(first)
}
