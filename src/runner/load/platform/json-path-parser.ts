/**
 * Replaces the parser of jsonpath-rfc9535: each path is parsed once per virtual user.
 *
 * Rules: k6's engine takes milliseconds to parse a path, and the library would parse it for each query.
 */
import parsePath from 'jsonpath-rfc9535/parser'

const parsed = new Map<string, ReturnType<typeof parsePath>>()
/** There is a limit because paths with values of variables may be new each time. */
const MAX_PARSED = 1000

// biome-ignore lint/style/noDefaultExport: it replaces a module with a default export
export default function parseOnce(path: string): ReturnType<typeof parsePath> {
  const known = parsed.get(path)
  if (known !== undefined) return known
  const query = parsePath(path)
  if (parsed.size < MAX_PARSED) parsed.set(path, query)
  return query
}
