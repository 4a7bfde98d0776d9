/** How long handshakes wait for a file system that does not answer. */
import { expect, it } from 'vitest'
import { SharedCheck } from '../../../src/server/tls/certificate-source.ts'

it('a check that hangs is awaited once, and the next one starts when it has ended', async () => {
  const answers: (() => void)[] = []
  const check = new SharedCheck(() => new Promise((resolve) => void answers.push(resolve)), 50)
  await Promise.all([check.wait(), check.wait()])
  // The same question is not awaited a second time.
  for (let count = 0; count < 10_000; count++) await check.wait()
  expect(answers).toHaveLength(1)
  answers[0]!()
  await expect
    .poll(() => {
      void check.wait()
      return answers.length
    })
    .toBe(2)
})

it('a check that ends in time is shared by all callers', async () => {
  let checks = 0
  const check = new SharedCheck(async () => void (checks += 1), 60_000)
  await Promise.all([check.wait(), check.wait(), check.wait()])
  expect(checks).toBe(1)
  await check.wait()
  expect(checks).toBe(2)
})
