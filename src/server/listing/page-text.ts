/**
 * Text in the pages of the server: escaped, and with invisible characters made visible.
 *
 * WHATWG HTML section 13.1.
 */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text and for attributes in quotation marks. */
export function escapeText(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entities[character]!) : text
}

/** Controls, line separators, direction marks and zero-width characters: they hide or move the text around them. */
const unseen = /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/
const allUnseen = new RegExp(unseen, 'g')

/** Escaped, with the code of each invisible character between `open` and `close`. */
export function visibleText(text: string, open: string, close: string): string {
  const escaped = escapeText(text)
  if (!unseen.test(escaped)) return escaped
  return escaped.replace(allUnseen, (character) => {
    return `${open}[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]${close}`
  })
}

/** A name as a page shows it. */
export function showName(name: string): string {
  return visibleText(name, '<span class="code">', '</span>')
}
