/** Sources with more items than a function can take arguments. */
import { describe, expect, it } from 'vitest'
import { converted } from './converting.ts'

const COUNT = 150_000

describe('any number', () => {
  it('of URLs of one curl command is converted', async () => {
    const urls = Array.from({ length: COUNT }, (_, index) => `http://h/${index}`)
    const { text } = await converted(`curl ${urls.join(' ')}`, { from: 'curl', to: 'curl' })
    expect(text.match(/^curl /gm)).toHaveLength(COUNT)
  }, 120_000)
})
