/** The path and query of a request as its server sees them (RFC 9112 section 3.2.1). */
import type { HttpRequest } from '../../message/index.ts'

export function originForm({ target }: HttpRequest): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  return path === '' || path.startsWith('?') ? `/${path}` : path
}
