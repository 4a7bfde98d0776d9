import { expect, it } from 'vitest'
import { clientNetwork } from '../../../src/server/limits/client-network.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:0:0:ffff:1:2:3', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1::', '2001:db8:1:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  [undefined, ''],
])('the network of %s is %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
