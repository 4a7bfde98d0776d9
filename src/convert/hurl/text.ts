/**
 * Texts of Hurl: strings with escapes, templates, and what they are called in request files.
 *
 * Rules (Hurl, "Grammar"): a backslash escapes `"`, `\`, `#`, and gives `\n`, `\r`, `\t`, `\b`, `\f` and `\u{…}`. A comment
 * begins with `#` behind a blank. The functions of templates become dynamic variables.
 */

const functions: Readonly<Record<string, string>> = { newUuid: '$uuid', newDate: '$isoTimestamp' }

const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\\': '\\', '"': '"', '#': '#', '`': '`', '/': '/' },
}

/** Escapes undone; templates as request files have them. */
export function hurlText(text: string): string {
  const plain = text.replace(
    /\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))/g,
    (whole, code: string | undefined, character: string) =>
      code === undefined ? (escapes[character] ?? whole) : String.fromCodePoint(Number.parseInt(code, 16)),
  )
  return hurlTemplates(plain)
}

/** Templates alone, for bodies that have no escapes. */
export function hurlTemplates(text: string): string {
  return text.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, expression: string) => {
    const environment = /^getEnv\s+["']?([A-Za-z_]\w*)["']?$/.exec(expression)
    if (environment !== null) return `{{$env.${environment[1]}}}`
    // Filters of templates have no equivalent; the variable is there without them.
    const [name = ''] = expression.split(/\s+/)
    return `{{${Object.hasOwn(functions, name) ? functions[name] : name}}}`
  })
}

/** Without a comment at its end and blanks around. */
export function withoutComment(line: string): string {
  return line
    .replace(/(^|[ \t])#.*$/, (comment, _, offset: number) => {
      const before = line.slice(0, offset)
      const quotes = before.replace(/\\./g, '').split('"').length - 1
      return quotes % 2 === 1 ? comment : ''
    })
    .trim()
}
