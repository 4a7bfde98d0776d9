/** Declarations at the start of translated scripts that need them. */

const declarations: Readonly<Record<string, string>> = {
  // Compares whole objects, in which the order of the keys does not matter.
  sortedKeys:
    "const sortedKeys = (_, value) => value !== null && typeof value === 'object' && !Array.isArray(value) ? " +
    'Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value',
  // The value if the body is JSON, whatever its media type; otherwise its text.
  bodyValue:
    'const bodyValue = (() => { try { return JSON.parse(response.text()) } catch { return response.text() } })()',
}

/** A script that declares one of these names itself would shadow it. */
export const helperNames: readonly string[] = Object.keys(declarations)

/** The declarations that the code needs, each with a line break. */
export function helpersFor(code: string): string {
  return Object.entries(declarations)
    .filter(([name]) => new RegExp(`(?<![.\\w$])${name}\\b`).test(code))
    .map(([, declaration]) => `${declaration}\n`)
    .join('')
}
