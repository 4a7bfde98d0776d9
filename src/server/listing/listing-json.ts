/**
 * A directory as JSON: `{"path": "/docs/", "isComplete": true, "entries": [{"name", "type", "url", "size", "modified"}]}`.
 *
 * Rules: `path` is the decoded path below the served directory; `type` is `directory` or `file`; `url` is relative to the
 * directory, encoded; `size` is in octets, of files only; `modified` is ISO 8601 in UTC, with milliseconds. Entries are
 * in the order that the page would have. In pieces of text, like the page.
 */
import type { ListedDirectory, ListedEntry } from './listed-directory.ts'
import { entriesInPiece, entryPath } from './listing-page.ts'

/** `names`: of the directory below the served one. */
export function* renderListingJson(names: readonly string[], directory: ListedDirectory): Generator<string> {
  const { entries, isComplete } = directory
  const path = `/${names.map((name) => `${name}/`).join('')}`
  yield `{"path":${JSON.stringify(path)},"isComplete":${isComplete},"entries":[`
  for (let start = 0; start < entries.length; start += entriesInPiece) {
    const objects = entries.slice(start, start + entriesInPiece).map((entry) => JSON.stringify(objectOf(entry)))
    yield `${start === 0 ? '\n' : ',\n'}${objects.join(',\n')}`
  }
  yield '\n]}\n'
}

function objectOf(entry: ListedEntry): Readonly<Record<string, unknown>> {
  const moment = new Date(entry.modifiedMs)
  return {
    name: entry.name,
    type: entry.type,
    url: entryPath(entry),
    ...(entry.type === 'file' ? { size: entry.sizeBytes } : {}),
    // Some file systems hold years that no date has.
    modified: Number.isNaN(moment.getTime()) ? null : moment.toISOString(),
  }
}
