/**
 * Which words of a command line are a method or a URL, by their looks alone.
 *
 * Rules: a method is upper case; a host has a dot, a colon or a slash, or is `localhost`. A word that looks like a path of
 * this machine (`./a`, `/a`, `~/a`, a backslash in it), or like a file without a host before it (`login.http`), is none:
 * the endings are those of texts and of no top-level domain. Nothing here asks the file system.
 */

/** `GET`, `M-SEARCH`. */
export function isMethodWord(word: string): boolean {
  return /^[A-Z][A-Z0-9_-]*$/.test(word)
}

/** Whether a word is named like a file that holds a request or a body, wherever that may be. */
export function hasFileEnding(word: string): boolean {
  return fileEnding.test(word)
}

const fileEnding = /\.(?:http|rest|txt|json|xml|raw|req|bin|ya?ml|csv|html?)$/i
/** With user and password before it and a port behind it, where they are there. */
const authorityPattern = /^(?:[^@/?#\s]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\x00-\x2c/:;<=>?@[\\\]^`{|}\x7f]+)(?::\d*)?$/

/** `http://host`, `host.example/path`, `host:80`, `:3000/path`, `localhost`. */
export function isUrlWord(word: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return true
  if (/^:\d*(?:[/?#]|$)/.test(word)) return word !== ':'
  if (/^[./~-]|[\r\n\\]/.test(word)) return false
  const [authority = ''] = word.split(/[/?#]/, 1)
  if (!authorityPattern.test(authority)) return false
  if (/^localhost$/i.test(authority) || authority.includes(':')) return true
  if (!authority.includes('.')) return word.charAt(authority.length) === '/' && !fileEnding.test(word)
  return word.length > authority.length || !fileEnding.test(word)
}

/**
 * Whether a command line without a sub-command is a request: `httpcli URL`, `httpcli METHOD URL`, or options before them.
 * @param isFile whether a name is one of an existing file, which is never taken for a host
 */
export function isRequestLine(words: readonly string[], isFile: (name: string) => boolean): boolean {
  const [first, second] = words
  if (first === undefined) return false
  if (first.startsWith('-')) return words.some((word) => isUrlWord(word) && !isFile(word))
  if (isMethodWord(first)) return second !== undefined
  return isUrlWord(first) && !isFile(first)
}
