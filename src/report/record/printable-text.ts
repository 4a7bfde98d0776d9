/**
 * Makes foreign texts (names, messages, logs) printable.
 *
 * Rules: independent of the output format: the writers of XML, HTML and YAML escape the result.
 */

/** A longer text is probably data: a thrown response. */
const MAX_TEXT_CHARACTERS = 2000

/** Replaces lone surrogates, which cannot be encoded. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** The text, or its beginning and its end with the number of characters omitted between them. */
export function shortened(text: string, maxCharacters: number = MAX_TEXT_CHARACTERS): string {
  if (text.length <= maxCharacters) return text
  const tail = Math.floor(maxCharacters / 4)
  const head = maxCharacters - tail
  const begin = withoutHalfPair(text.slice(0, head))
  const end = text.slice(-tail).replace(/^[\udc00-\udfff]/, '')
  const short = `${begin} ... ${text.length - begin.length - end.length} characters left out ... ${end}`
  return short.length < text.length ? short : text
}

function withoutHalfPair(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
}

/** Escapes control characters, so that they do not affect a terminal. Newlines and tabs are unchanged. */
export function escapedControls(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0)
    return code > 0xff
      ? `\\u{${code.toString(16).toUpperCase()}}`
      : `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`
  })
}

/** A name as one line: each line break and tab becomes a space. */
export function oneLine(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ')
}

/** `12 ms`, `1.24 s`, `2 min 5 s`. */
export function shownDuration(durationMs: number): string {
  if (durationMs < 999.5) return `${Math.round(durationMs)} ms`
  if (durationMs < 59_995) return `${(durationMs / 1000).toFixed(2)} s`
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const largerUnits = ['kB', 'MB', 'GB', 'TB'] as const

/** `512 B`, `1.2 kB`, `3.4 MB`, by thousands. */
export function shownSize(sizeBytes: number): string {
  if (sizeBytes < 1000) return `${sizeBytes} B`
  let size = sizeBytes / 1000
  let unit = 0
  // A size that would be rounded to 1000.0 belongs to the next unit.
  while (size >= 999.95 && unit < largerUnits.length - 1) {
    size /= 1000
    unit++
  }
  return `${size.toFixed(1)} ${largerUnits[unit]}`
}

/** `1 request`, `2 requests`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A hint as it is shown: a full sentence, which ends with a full stop unless it ends with another mark. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
