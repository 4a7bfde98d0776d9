/** Values of options without the passwords in them, for messages and comments. */

/** The URL of a proxy. */
export function withoutPassword(url: string): string {
  return url.replace(/^((?:[\w+.-]+:\/\/)?[^:@/]*):.*@/s, '$1:<password>@')
}

/** `file:passphrase`; the colon of a drive, and one after a backslash, belong to the file. */
export function withoutPassphrase(cert: string): string {
  return cert.replace(/^((?:[A-Za-z]:(?=[\\/]))?(?!:)[^:\\]*(?:\\.[^:\\]*)*):.*$/s, '$1')
}
