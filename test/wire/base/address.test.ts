import { expect, it } from 'vitest'
import { entriesOf } from '../../../src/wire/base/address.ts'

it.each([
  ['a.example', 'a.example', true],
  ['A.Example', 'a.example', true],
  ['a.example.', 'a.example', true],
  ['*', 'a.example', true],
  ['b.example', 'a.example', false],
  ['bücher.example', 'xn--bcher-kva.example', true],
  ['BÜCHER.example', 'xn--bcher-kva.example', true],
  ['[::1]', '::1', true],
  ['ü%', 'a.example', false],
])('an entry for the host %s applies to %s: %s', (host, name, applies) => {
  const entry = { host, port: 80, address: '127.0.0.1' }
  expect(entriesOf(name, 80, [entry])).toEqual(applies ? [entry] : [])
})
