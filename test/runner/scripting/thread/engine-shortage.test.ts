import { describe, expect, it } from 'vitest'
import { engineShortage } from '../../../../src/runner/scripting/thread/engine-shortage.ts'

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code })

describe('an error of the script engine', () => {
  it.each([
    ['memory of WebAssembly', new RangeError('WebAssembly.Memory(): could not allocate memory')],
    ['memory of an array', new RangeError('Array buffer allocation failed')],
    ['memory in the executable', new RangeError('Out of memory')],
    ['a compiler without memory', new Error('WebAssembly.Module(): Out of memory: Cannot allocate memory')],
    ['a thread that does not start', withCode('Worker initialization failure: EAGAIN', 'ERR_WORKER_INIT_FAILED')],
    ['a thread without memory', withCode('Worker terminated', 'ERR_WORKER_OUT_OF_MEMORY')],
    ['a file that cannot be opened', withCode('EMFILE: too many open files', 'EMFILE')],
  ])('that is a shortage of resources is reported with its reason: %s', (_title, error) => {
    expect(engineShortage(error)).toContain(error.message)
  })

  it.each([
    ['files, by its code', withCode('too many open files', 'EMFILE'), 'Raise the limit of open files (ulimit -n)'],
    [
      'files, by its message',
      withCode('Worker initialization failure: EMFILE', 'ERR_WORKER_INIT_FAILED'),
      'Raise the limit of open files (ulimit -n)',
    ],
    [
      'memory',
      withCode('Worker terminated', 'ERR_WORKER_OUT_OF_MEMORY'),
      'Give the process more memory, or run fewer jobs at a time',
    ],
  ])('is reported with advice for the missing resource: %s', (_title, error, advice) => {
    expect(engineShortage(error)?.endsWith(`. ${advice}`)).toBe(true)
  })

  it.each([
    ['a defect', new TypeError("Cannot read properties of undefined (reading 'memory')")],
    ['a missing file', withCode('ENOENT: no such file or directory', 'ENOENT')],
    ['no error at all', 'out of memory'],
  ])('of any other kind is not: %s', (_title, error) => {
    expect(engineShortage(error)).toBeUndefined()
  })
})
