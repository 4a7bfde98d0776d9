/**
 * In place of the parser of jsonpath-rfc9535: each path is parsed once for a virtual user.
 *
 * Rules: k6's engine takes milliseconds for a path, and the library parses it at each query.
 */
import parsePath from 'jsonpath-rfc9535/parser'

const parsed = new Map<string, ReturnType<typeof parsePath>>()
/** Paths with values of variables in them are new each time. */
const MAX_PARSED = 1000

// biome-ignore lint/style/noDefaultExport: it takes the place of a module with one
export default function parseOnce(path: string): ReturnType<typeof parsePath> {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const query = parsePath(path)
  if (parsed.size < MAX_PARSED) parsed.set(path, query)
  return query
}
