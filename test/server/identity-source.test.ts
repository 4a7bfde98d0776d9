/** A keystore whose file system stops answering: handshakes go on with the certificate that is known. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it, vi } from 'vitest'
import { IdentitySource } from '../../src/server/identity-source.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

/** While it is there, nothing that is asked of the file system is answered. */
let hanging: Promise<void> | undefined

vi.mock('node:fs/promises', async (importOriginal) => {
  const platform = await importOriginal<typeof import('node:fs/promises')>()
  const stat = async (...words: Parameters<typeof platform.stat>) => {
    await hanging
    return platform.stat(...words)
  }
  return { ...platform, stat }
})

const fixture = (name: string) => fileURLToPath(new URL(`keystores/${name}`, import.meta.url))

let file: string

beforeEach(() => {
  file = join(temporaryDirectory(), 'keystore')
  copyFileSync(fixture('ec.jks'), file)
  hanging = undefined
})

const open = () =>
  IdentitySource.open(
    { keystore: { file, password: 'changeit' } },
    { onIdentity: () => undefined, onError: () => undefined, now: Date.now },
  )

it('is not waited for longer than a second, and is asked again once it answers', async () => {
  const source = await open()
  const first = source.current
  let answer: () => void = () => undefined
  hanging = new Promise((resolve) => {
    answer = resolve
  })
  copyFileSync(fixture('rsa.jks'), file)
  await source.refresh()
  expect(source.current).toBe(first)
  // Nobody waits a second time for the same question.
  const startedMs = performance.now()
  for (let count = 0; count < 1000; count++) await source.refresh()
  expect(performance.now() - startedMs).toBeLessThan(900)
  hanging = undefined
  answer()
  await vi.waitFor(() => expect(source.current).not.toBe(first), { timeout: 10_000 })
  const second = source.current
  copyFileSync(fixture('ec.jks'), file)
  await source.refresh()
  expect(source.current).not.toBe(second)
})
