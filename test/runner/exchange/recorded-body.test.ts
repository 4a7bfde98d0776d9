/** What is kept of response bodies for scripts. */
import { expect, it } from 'vitest'
import { HttpResponse } from '../../../src/message/index.ts'
import { RecordedBody } from '../../../src/runner/exchange/recorded-body.ts'
import { usedBytes } from '../../helpers/used-memory.ts'

it('keeps little memory for a piece, of which a server may send one for each byte', async () => {
  const count = 200_000
  function* pieces(): Generator<Uint8Array> {
    const received = new Uint8Array(1000)
    for (let i = 0; i < count; i++) yield received.subarray(i % 1000, (i % 1000) + 1)
  }
  const response = new HttpResponse({ status: 200, body: pieces() })
  const options = { limitBytes: 2 * count, taps: [], isEndedBySilence: false }
  const before = usedBytes()
  const body = new RecordedBody(response, response.body as NonNullable<typeof response.body>, options)
  await body.drain()
  expect((usedBytes() - before) / count).toBeLessThan(20)
  expect(await body.content()).toHaveLength(count)
})
