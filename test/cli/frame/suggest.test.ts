/** Did you mean. */
import { expect, it } from 'vitest'
import { nearestName } from '../../../src/cli/frame/suggest.ts'

const options = ['--file', '--text', '--follow', '--fail', '--print-response-mode', '--proxy', '--noproxy', '-f', '-t']

it.each([
  ['--flie', '--file'],
  ['--folow', '--follow'],
  ['--print', '--print-response-mode'],
  ['--print-respons-mod', '--print-response-mode'],
  ['-file', '--file'],
  ['--FILE', '--file'],
  ['-F', '-f'],
])('%s is near %s', (name, expected) => {
  expect(nearestName(name, options)).toBe(expected)
})

it.each(['--verbose', '--zzzz', '-z', '--', ''])('%j is near nothing', (name) => {
  expect(nearestName(name, options)).toBeUndefined()
})

it('finds two adjacent swapped letters in a short word', () => {
  expect(nearestName('sned', ['send', 'run', 'serve', 'help'])).toBe('send')
})
