/**
 * Parses `--cache-control`: a value for all files, and values for files whose paths match a pattern.
 *
 * Rules: `/assets/*=public, max-age=31536000, immutable` is a path as in `_headers`, an equals sign and a value; a text
 * without a leading slash is the value for all other files. The path is that of the file, not of the URL.
 * Of several matching patterns the last one wins.
 */

import type { HttpcliError } from '../../message/index.ts'
import { checkFieldValue } from '../features/extra-fields.ts'
import { ServerError } from '../semantics/errors.ts'
import type { Hooks } from '../semantics/hooks.ts'
import type { LinearPattern } from './linear-pattern.ts'
import { comparablePath, parsePathPattern } from './path-pattern.ts'

interface PatternValue {
  readonly pattern: LinearPattern
  readonly value: string
}

/** Undefined for no texts. Throws HttpcliError `field` or `cache-control`. */
export function parseCacheControl(texts: readonly string[]): Hooks['cacheControl'] {
  const values = texts.filter((text) => !text.startsWith('/')).map(checkFieldValue)
  if (values.length > 1) {
    throw new ServerError(
      'cache-control',
      `two values for all files: ${values
        .slice(0, 2)
        .map((value) => JSON.stringify(value))
        .join(' and ')}`,
      {
        hint: 'Give one, and others with a path in front: /assets/*=public, max-age=3600.',
      },
    )
  }
  const [value] = values
  const patterns = texts.filter((text) => text.startsWith('/')).map(parsePattern)
  if (patterns.length === 0) return value === undefined ? undefined : () => value
  return (names) => {
    const path = comparablePath(names)
    return patterns.findLast(({ pattern }) => pattern.match(path) !== undefined)?.value ?? value
  }
}

function parsePattern(text: string): PatternValue {
  const equals = text.indexOf('=')
  if (equals < 0) throw fault(text, 'has no "=" between the path and the value')
  const pattern = parsePathPattern(text.slice(0, equals), { isCaseInsensitive: false, isAsteriskLast: false })
  if ('message' in pattern) throw fault(text, `is invalid at character ${pattern.index + 1}: ${pattern.message}`)
  const value = checkFieldValue(text.slice(equals + 1))
  if (value === '') throw fault(text, 'has no value')
  return { pattern, value }
}

function fault(text: string, message: string): HttpcliError {
  return new ServerError('cache-control', `${JSON.stringify(text)} ${message}`, {
    hint: 'Write it like /assets/*=public, max-age=31536000, immutable.',
  })
}
