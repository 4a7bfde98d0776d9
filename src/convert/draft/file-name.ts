/** Derives names of files and entries from titles. */

/** A text as part of a file name: letters, digits and dashes. */
export function fileNameOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 60)
}
