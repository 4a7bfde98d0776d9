/** Items on their way to a script wait for it, however late it starts. */
import { expect, it } from 'vitest'
import { lineTap, StreamQueue } from '../../../src/runner/exchange/stream-queue.ts'

const lines = Array.from({ length: 5000 }, (_, index) => `line ${index}`)

it('a script that starts late gets every line from the first', async () => {
  const queue = new StreamQueue(() => undefined)
  const tap = lineTap(queue, '')
  const giving = tap.write(Buffer.from(`${lines.join('\n')}\n`)).then(() => tap.end())
  await new Promise((resolve) => setImmediate(resolve))
  const seen: (string | undefined)[] = []
  for (let line = await queue.next(); line !== undefined; line = await queue.next()) seen.push(line)
  await giving
  expect(seen).toEqual(lines)
})

it('scripts that end without reading a line do not block others', async () => {
  let isClosed = false
  const queue = new StreamQueue(() => {
    isClosed = true
  })
  const tap = lineTap(queue, '')
  const giving = tap.write(Buffer.from(`${lines.join('\n')}\n`)).then(() => tap.end())
  queue.release()
  await giving
  expect(isClosed).toBe(false)
})

it('a script that read lines and has ended gets no more', async () => {
  let isClosed = false
  const queue = new StreamQueue(() => {
    isClosed = true
  })
  const giving = lineTap(queue, '').write(Buffer.from(`${lines.join('\n')}\n`))
  expect(await queue.next()).toBe('line 0')
  queue.release()
  await giving
  expect(isClosed).toBe(true)
})
