/**
 * Identifies a client by its IPv4 address, or by its /64 network of IPv6, since a single machine usually gets a /64.
 * RFC 4291 sections 2.2 and 2.5.5.2.
 */

/** `address`: as a socket reports it; undefined if the client has already disconnected. */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return ''
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  if (!address.includes(':')) return address
  const [head = '', tail] = address.replace(/%.*$/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const lastGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  if (tail !== undefined) while (groups.length + lastGroups.length < 8) groups.push('0')
  return [...groups, ...lastGroups]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
