/** Changes to executables fail if the runtime is not the one that they were made for. */
import { expect, it } from 'vitest'
import { coveredWithSections, withoutRuntimeVariables } from '../../scripts/runtime-executable.ts'

it('removes only the names of the variables', () => {
  const file = Buffer.from('code\0BUN_BE_BUN\0BUN_OPTIONS\0BUN_OPTIONS_OTHER\0', 'latin1')
  expect(withoutRuntimeVariables(file).toString('latin1')).toBe('code\0\0UN_BE_BUN\0\0UN_OPTIONS\0BUN_OPTIONS_OTHER\0')
})

it.each([
  ['none of them', 'code'],
  ['only one of them', '\0BUN_BE_BUN\0'],
  ['one twice', '\0BUN_BE_BUN\0\0BUN_BE_BUN\0BUN_OPTIONS\0'],
])('fails for a runtime that knows %s', (_title, text) => {
  expect(() => withoutRuntimeVariables(Buffer.from(text, 'latin1'))).toThrow('its variables have changed')
})

it.each([
  ['a script', Buffer.from('#!/bin/sh\n')],
  ['an executable of 32 bits', Buffer.concat([Buffer.from('7f454c460101', 'hex'), Buffer.alloc(100)])],
])('fails for %s', (_title, file) => {
  expect(() => coveredWithSections(file)).toThrow('not an executable of Linux')
})

it('fails for a runtime without a loadable segment', () => {
  const file = Buffer.concat([Buffer.from('7f454c460201', 'hex'), Buffer.alloc(100)])
  expect(() => coveredWithSections(file)).toThrow('the layout that its compiler gives it')
})
