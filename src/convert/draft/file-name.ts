/** Derives names of files and entries from titles. */

/** A text as part of a file name: letters, digits and dashes. */
export function fileNameOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
    .slice(0, 60)
}

/** The name, with a number after the mark if it is used already. */
export function unusedName(name: string, used: ReadonlySet<string>, mark: string): string {
  let unused = name
  for (let count = 2; used.has(unused); count++) unused = `${name}${mark}${count}`
  return unused
}
