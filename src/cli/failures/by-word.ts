/** @param rows texts; each key lists the words for its text, separated by blanks */
export function byWord(rows: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([words, text]) => words.split(' ').map((word) => [word, text])),
  )
}
