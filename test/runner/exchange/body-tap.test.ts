import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { fileTap } from '../../../src/runner/exchange/body-tap.ts'
import type { ConfinedFiles } from '../../../src/runner/files/confined-files.ts'
import { ConfinedOutput } from '../../../src/runner/files/confined-output.ts'
import { filesBelow } from '../../helpers/file-root.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'

const files = (): { readonly confined: ConfinedFiles; readonly path: string } => {
  const directory = directoryWith({})
  onTestFinished(() => {
    vi.restoreAllMocks()
    directory.remove()
  })
  return { confined: filesBelow(directory.path), path: join(directory.path, 'out.txt') }
}

it('pieces of one byte that arrive together are one write', async () => {
  const { confined, path } = files()
  const write = vi.spyOn(ConfinedOutput.prototype, 'write')
  const tap = await fileTap(path, true, confined)
  for (let count = 0; count < 1000; count++) await tap.write(Buffer.from('a'))
  await tap.end()
  expect(write.mock.calls.length).toBeLessThan(10)
  expect(readFileSync(path, 'utf8')).toBe('a'.repeat(1000))
})

it('a delayed write that fails leaves no file', async () => {
  const { confined, path } = files()
  vi.spyOn(ConfinedOutput.prototype, 'write').mockRejectedValue(new Error('no space left'))
  const tap = await fileTap(path, true, confined)
  await tap.write(Buffer.from('a'))
  await expect(tap.end()).rejects.toThrow('no space left')
  expect(() => readFileSync(path)).toThrow('ENOENT')
})
