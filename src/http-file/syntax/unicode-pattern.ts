/**
 * Patterns with Unicode classes that cost nothing while texts are ASCII.
 *
 * Rules: the meaning is that of the source as written. Node.js takes 0.4 ms to create a pattern with `\p{L}` and up to
 * 4 ms for its first match, because it compiles hundreds of ranges. So a text of ASCII alone, which most are, is
 * matched by the same pattern with the ASCII part of each class, and the other one is created when a text needs it.
 */

/** The ASCII characters of each class, as the inside of a character class. */
const asciiClasses: Readonly<Record<string, string>> = {
  L: 'A-Za-z',
  N: '0-9',
  ID_Start: 'A-Za-z',
  ID_Continue: '0-9A-Z_a-z',
}

/** The pattern for a text, with `lastIndex` 0; it is shared by all callers. */
export type UnicodePattern = (text: string) => RegExp

/**
 * @param source with `\p{…}` only inside character classes
 * @param flags without `u`, which is always set
 */
export function unicodePattern(source: string, flags: string = ''): UnicodePattern {
  let ascii: RegExp | undefined
  let unicode: RegExp | undefined
  return (text) => {
    const pattern = /[\u0080-\uffff]/.test(text)
      ? (unicode ??= new RegExp(source, `${flags}u`))
      : (ascii ??= new RegExp(asciiSource(source), `${flags}u`))
    pattern.lastIndex = 0
    return pattern
  }
}

function asciiSource(source: string): string {
  return source.replace(/\\p\{(\w+)\}/g, (_, name: string) => asciiClasses[name] as string)
}
