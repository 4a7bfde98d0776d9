/** Values that are made once for all who ask for the same. */
import { expect, it } from 'vitest'
import { SharedValues } from '../../../src/runner/base/shared-values.ts'

const always = (): boolean => true

it('shared values are created once per key, however many callers ask at the same time', async () => {
  const shared = new SharedValues<string>()
  let made = 0
  const make = async (): Promise<string> => `value ${++made}`
  const found = await Promise.all(['a', 'a', 'b', 'a'].map((key) => shared.take(key, always, make)))
  expect(found).toEqual(['value 1', 'value 1', 'value 2', 'value 1'])
  expect(await shared.take('a', always, make)).toBe('value 1')
})

it('shared values are created again, once, after expiry', async () => {
  const shared = new SharedValues<number>()
  const given: (number | undefined)[] = []
  const make = async (old: number | undefined): Promise<number> => {
    given.push(old)
    return (old ?? 0) + 1
  }
  await shared.take('a', always, make)
  const isNew = (value: number): boolean => value > 1
  expect(await Promise.all([1, 2, 3].map(() => shared.take('a', isNew, make)))).toEqual([2, 2, 2])
  expect(given).toEqual([undefined, 1])
})

it('shared values fail for all waiting callers, and are tried again for later ones', async () => {
  const shared = new SharedValues<string>()
  const failing = [1, 2].map(() => shared.take('a', always, () => Promise.reject(new Error('down'))))
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await shared.take('a', always, async () => 'up')).toBe('up')
})
