/**
 * The store of a cookie jar: also finds the cookies of a host such as `test` or `local`, which are names of containers.
 *
 * The library throws for these hosts, because the names are reserved as top-level domains (RFC 6761 and RFC 6762).
 */
import type { Cookie, MemoryCookieStore } from 'tough-cookie'

type Library = Pick<typeof import('tough-cookie'), 'MemoryCookieStore'>
type Found = Parameters<MemoryCookieStore['getAllCookies']>[0]

/** @param library loaded by the caller, because most runs have no cookies */
export function makeCookieStore({ MemoryCookieStore: BaseStore }: Library): MemoryCookieStore {
  return new (class extends BaseStore {
    override findCookies(domain: string, path: string, allowsSpecial?: boolean): Promise<Cookie[]>
    override findCookies(domain: string, path: string, allowsSpecial?: boolean, found?: Found): void
    override findCookies(domain: string, path: string, allowsSpecial?: boolean, found?: Found): unknown {
      if (domain.includes('.')) return super.findCookies(domain, path, allowsSpecial, found)
      // The jar keeps those of the host and the path.
      return found === undefined ? this.getAllCookies() : this.getAllCookies(found)
    }
  })()
}
