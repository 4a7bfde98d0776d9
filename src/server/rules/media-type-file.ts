/**
 * The mapping file of `serve --media-types`: a Java properties file of extensions and media types.
 *
 * Rules: the file is UTF-8 (a byte order mark is skipped); `:`, `=` or blanks separate; a leading dot in the extension
 * is accepted; if an extension has two entries, the last one wins, as in Java. dot-properties parses the syntax; the
 * values are checked here, so that an invalid entry is reported with its line before the server starts.
 */

import { Pair, parseLines } from 'dot-properties'
import type { HttpcliError } from '../../message/index.ts'
import { fileBytes } from '../../message-node/index.ts'
import { rulesError } from './rules-error.ts'

/** RFC 9110 sections 5.6.2, 5.6.6 and 8.3.1: type "/" subtype, then parameters with token or quoted values. */
const mediaTypePattern =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:\s*;\s*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[ \t!#-[\]-~]*"))*$/

const extensionPattern = /^[^\s./\\\0][^\s/\\\0]*$/

/**
 * Extension (lower case, no leading dot) to media type. Throws HttpcliError `media-types-syntax` with file and line.
 */
export function parseMediaTypes(text: string, file: string): ReadonlyMap<string, string> {
  const source = text.replace(/^\uFEFF/, '')
  const types = new Map<string, string>()
  for (const node of parseLines(source, true)) {
    if (!(node instanceof Pair)) continue
    const [keyStart = 0, , valueStart = 0, valueEnd = 0] = node.range ?? []
    const brokenEscape = /(?:^|[^\\])(?:\\\\)*(\\u(?![0-9a-fA-F]{4}))/.exec(source.slice(keyStart, valueEnd))
    if (brokenEscape !== null) {
      throw mappingError('\\u is followed by four hexadecimal digits', source, keyStart, file)
    }
    const extension = node.key.replace(/^\./, '').toLowerCase()
    if (!extensionPattern.test(extension)) {
      throw mappingError(`${JSON.stringify(node.key)} is not a file extension`, source, keyStart, file)
    }
    const type = node.value.trim()
    if (!mediaTypePattern.test(type)) {
      const found = type === '' ? 'no media type found' : `${JSON.stringify(type)} is not a media type`
      throw mappingError(`${found} for the extension ${JSON.stringify(extension)}`, source, valueStart, file)
    }
    types.set(extension, type)
  }
  return types
}

/** Reads a mapping file. Throws errors of the file system (ENOENT, EACCES, EISDIR) and of `parseMediaTypes`. */
export async function readMediaTypes(file: string): Promise<ReadonlyMap<string, string>> {
  let source: string
  try {
    source = Buffer.from(await fileBytes(file)).toString()
  } catch (error) {
    // A directory can be opened but not read; the system's error then has no path.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file })
  }
  return parseMediaTypes(source, file)
}

function mappingError(message: string, text: string, offset: number, file: string): HttpcliError {
  const hint = 'Write one entry per line: <file extension>: <type>/<subtype>, for example md: text/markdown.'
  return rulesError({ file, text }, offset, message, hint, 'media-types-syntax')
}
