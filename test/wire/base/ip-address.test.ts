/** IP addresses as text: the answers are those of node:net. */
import { isIP as isIPOfNode } from 'node:net'
import { describe, expect, it } from 'vitest'
import { isInRange, isIP } from '../../../src/wire/base/ip-address.ts'

const texts = [
  ...['127.0.0.1', '0.0.0.0', '255.255.255.255', '256.0.0.1', '1.2.3', '1.2.3.4.', '.1.2.3.4', '1.2.3.4.5', '1..2.3'],
  ...[
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.004',
    '1.2.3.4 ',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '0x1.2.3.4',
    '1.2.3.a',
    '',
    '1',
    '١.2.3.4',
  ],
  ...['::1', '::', 'fe80::1%eth0', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8:9', ':::', 'a:b', '[::1]'],
  ...['localhost', 'example.com', 'example.com:80', '1.2.3.4:80'],
]

describe('the version of an IP address', () => {
  it.each(texts)('%j', (text) => {
    expect(isIP(text)).toBe(isIPOfNode(text))
  })

  it('is found for each of the 256 values of a part, and for none above', () => {
    const numbers = Array.from({ length: 300 }, (_, number) => number)
    expect(numbers.filter((number) => isIP(`${number}.0.${number}.1`) === 4)).toEqual(numbers.slice(0, 256))
  })
})

it.each([
  ['10.1.2.3', '10.0.0.0', 8, 4, true],
  ['11.1.2.3', '10.0.0.0', 8, 4, false],
  ['2001:db8::1', '2001:db8::', 32, 6, true],
  ['2001:db9::1', '2001:db8::', 32, 6, false],
] as const)('%s in the range of %s/%i', (address, network, bits, version, expected) => {
  expect(isInRange(address, network, bits, version)).toBe(expected)
})
