/**
 * URLs of drafts, of which parts may be variables.
 *
 * Rules: what `run` would escape is escaped; variables stay. The fragment goes, since it is never sent.
 */
import { encodePath } from '../http-file/index.ts'
import { mapText } from './literal-text.ts'

/** The URL with the escapes with which `run` would send it. */
export function escapedUrl(url: string): string {
  let isQuery = false
  const authority = /^[A-Za-z][\w+.-]*:\/\/[^/?#{]*/.exec(url)?.[0] ?? ''
  const escaped = mapText(url.slice(authority.length).replace(/#.*$/s, ''), (plain) => {
    const text = isQuery ? encodePath(`?${plain}`).slice(1) : encodePath(plain)
    isQuery ||= plain.includes('?')
    return text
  })
  return authority + escaped
}
