/** @param rows replacements, by the spellings that they replace, separated by blanks */
export function bySpelling(rows: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([spellings, text]) => spellings.split(' ').map((spelling) => [spelling, text])),
  )
}
