/**
 * Translates a request target to the names of a path below the served directory, by text alone, without the disk.
 *
 * Rules: the path is split at its slashes first, and then each segment is checked, so that an encoded slash never
 * becomes a separator. Empty segments, `.` and `..`, encoded or not, are resolved first: all later steps see only the
 * resolved path, which begins with one slash and a name, so that no URL built from it can name a host. A path that
 * climbs above its root is an error. Each segment is decoded once. A path is not found if it cannot name a visible file
 * on every platform: slashes and backslashes, NUL, hidden names (all that begin with a dot except a leading
 * `.well-known`, unless they are shown), names that Windows would read as something else (drives and streams with
 * a colon, device names, trailing dots and blanks), and the rules files of the served directory, which may contain
 * passwords. This applies on every platform, so that a site behaves the same everywhere. Symbolic links are checked by
 * the look-up. RFC 3986 sections 2.1, 3.3 and 5.2.4, RFC 9112 section 3.2, RFC 8615.
 */

/** Files that are served in addition to the visible files of a directory. */
export interface Visibility {
  /** Names that begin with a dot. `/.well-known` is always served (RFC 8615). */
  readonly allowsDotfiles: boolean
  /** Symbolic links that lead out of the served directory. Those inside it are always followed. */
  readonly allowsOutsideSymlinks: boolean
}

export const defaultVisibility: Visibility = Object.freeze({ allowsDotfiles: false, allowsOutsideSymlinks: false })

/** The parts of an origin-form or absolute-form target, still encoded. */
export interface TargetParts {
  /** Resolved: begins with one slash, and contains no empty segment except the last, and no `.` or `..`. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
}

/** Names below the root, decoded. A path that ends in a slash means a directory. */
export interface UrlPath {
  readonly names: readonly string[]
  readonly isDirectory: boolean
}

/** `malformed`: not a path (a broken percent escape). `above-root`: `..` leads out of the root. */
export type TargetFault = 'malformed' | 'above-root'

/**
 * `unnameable`: a path that no file can have. `unportable`: a path that only Windows would read as something else; it
 * may be a route of an application.
 */
export type PathFault = TargetFault | 'unnameable' | 'unportable'

/** Splits a target and resolves its path. The asterisk and authority forms name no file and are `malformed`. */
export function splitTarget(target: string): TargetParts | TargetFault {
  const origin = target.startsWith('/') ? target : afterAuthority(target)
  if (origin === undefined) return 'malformed'
  const end = origin.search(/[?#]/)
  const path = resolvePath(end < 0 ? origin : origin.slice(0, end))
  if (path === undefined) return 'above-root'
  if (brokenEscape.test(origin.slice(0, end < 0 ? undefined : end))) return 'malformed'
  const hash = origin.indexOf('#')
  const query = origin[end] === '?' ? origin.slice(end, hash < 0 ? undefined : hash) : ''
  return { path, query }
}

const brokenEscape = /%(?![0-9a-fA-F]{2})/

/** An unresolved segment, or the beginning of a name that looks like one. */
const mayBeUnresolved = /\/(?:\/|\.|%2e)/i

/** Undefined if the path climbs above its root. */
function resolvePath(path: string): string | undefined {
  if (!mayBeUnresolved.test(path)) return path
  const resolved: string[] = []
  let isDirectory = false
  for (const segment of path.split('/').slice(1)) {
    const dots = segment.replace(/%2e/gi, '.')
    isDirectory = segment === '' || dots === '.' || dots === '..'
    if (!isDirectory) resolved.push(segment)
    else if (dots === '..' && resolved.pop() === undefined) return undefined
  }
  return resolved.length === 0 ? '/' : `/${resolved.join('/')}${isDirectory ? '/' : ''}`
}

/** RFC 9112 section 3.2.2: an absolute target without a path means `/`. */
function afterAuthority(target: string): string | undefined {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)
  if (match === null) return undefined
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Decodes and checks an encoded path that begins with a slash. An unresolved path names nothing. `rootDepth`: how many
 * of its first segments lead to the served directory.
 */
export function parsePath(
  path: string,
  visibility: Visibility = defaultVisibility,
  rootDepth: number = 0,
): UrlPath | PathFault {
  const segments = path.split('/').slice(1)
  const isDirectory = segments.at(-1) === ''
  if (isDirectory) segments.pop()
  const names: string[] = []
  let isPortable = true
  for (const [index, segment] of segments.entries()) {
    const name = decodeSegment(segment)
    if (name === undefined) return 'malformed'
    names.push(name)
    if (!isPlainName(name) || isHidden(name, index - rootDepth, visibility)) return 'unnameable'
    isPortable &&= isPortableName(name)
  }
  return isPortable ? { names, isDirectory } : 'unportable'
}

/** The decoded names of a path, even if no file can have them; undefined for a broken escape. */
export function writtenNames(path: string): readonly string[] | undefined {
  const names = path.split('/').slice(1).map(decodeSegment)
  if (names.at(-1) === '') names.pop()
  return names.every((name) => name !== undefined) ? names : undefined
}

/** Whether every name of a path below the root may be shown. Also checked for the target of symbolic links. */
export function isVisiblePath(names: readonly string[], visibility: Visibility): boolean {
  return names.every((name, index) => !isHidden(name, index, visibility))
}

function isHidden(name: string, index: number, { allowsDotfiles }: Visibility): boolean {
  if (index === 0 && isRulesFile(name)) return true
  return name.startsWith('.') && !allowsDotfiles && !(index === 0 && name === '.well-known')
}

/** Whether a name of the served directory is that of a rules file, on any file system, compressed or not. */
export function isRulesFile(name: string): boolean {
  return rulesFilePattern.test(name)
}

/** Ignores case like Unicode case folding, as in case-insensitive file systems. */
const rulesFilePattern = /^(?:_headers|_redirects|serve\.json)(?:\.(?:br|gz|zst))*$/iu

/** CONIN$, COM¹ and so on: Windows opens these as a device in any directory, even with text after the first dot. */
const devicePattern = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])[ ]*(?:\.|$)/i

/** Whether a decoded name may be a file or directory here; `index` counts from the root. */
export function isVisibleName(name: string, index: number, visibility: Visibility): boolean {
  return isPlainName(name) && !isHidden(name, index, visibility) && isPortableName(name)
}

/** A valid file name on any platform: not empty, no separator, no NUL, and text. */
function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0\ufffd]/.test(name)
}

function isPortableName(name: string): boolean {
  return !/:|[. ]$/.test(name) && !devicePattern.test(name)
}

/**
 * Decodes percent escapes and UTF-8, once. Undefined for a broken escape. Bytes that are not UTF-8 (including overlong
 * forms) become U+FFFD, which no name may contain.
 */
function decodeSegment(segment: string): string | undefined {
  if (!/[%\x80-\uffff]/.test(segment)) return segment
  if (brokenEscape.test(segment)) return undefined
  const octets = segment.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(octets, 'latin1').toString('utf8')
}
