import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { capacityFor, readDescriptorLimit } from '../../../src/server/limits/capacity.ts'

it.each([
  [undefined, { connections: 4096, overflow: 64, openFiles: 256 }],
  [1_048_576, { connections: 4096, overflow: 64, openFiles: 256 }],
  [1_024, { connections: 683, overflow: 64, openFiles: 249 }],
  [256, { connections: 143, overflow: 28, openFiles: 57 }],
  [40, { connections: 8, overflow: 1, openFiles: 3 }],
  [20, { connections: 1, overflow: 1, openFiles: 2 }],
])('%s descriptors are divided among connections and files', (descriptorLimit, expected) => {
  expect(capacityFor(4096, descriptorLimit)).toEqual(expected)
})

it('the connection limit applies if the descriptors allow more', () => {
  expect(capacityFor(20, 1_024).connections).toBe(20)
})

it('the descriptor limit is that of the process', () => {
  expect(readDescriptorLimit()).toBe(Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })))
})
