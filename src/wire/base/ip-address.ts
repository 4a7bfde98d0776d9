/**
 * IP addresses as text, by the rules of node:net.
 *
 * Rules: node:net is loaded only when an IPv6 address or a range is checked, because loading it takes a tenth of the
 * time of a `send` in the stand-alone executable.
 */
import { getBuiltinModule } from 'node:process'

const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** 4 or 6 for an IP address of this version, otherwise 0. */
export function isIP(text: string): 0 | 4 | 6 {
  if (ipv4Pattern.test(text)) return 4
  return text.includes(':') && getBuiltinModule('node:net').isIPv6(text) ? 6 : 0
}

/** Whether an address begins with the same bits as the address of a range. */
export function isInRange(address: string, network: string, prefixBits: number, version: 4 | 6): boolean {
  const range = new (getBuiltinModule('node:net').BlockList)()
  const family = version === 6 ? 'ipv6' : 'ipv4'
  range.addSubnet(network, prefixBits, family)
  return range.check(address, family)
}
