import { describe, expect, it } from 'vitest'
import { DiskLatency } from '../../../src/server/files/disk-latency.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

describe('DiskLatency', () => {
  it('considers a disk slow while its replies take milliseconds', () => {
    const gauge = new DiskLatency()
    expect(gauge.isSlow).toBe(false)
    for (let count = 0; count < 20; count++) gauge.note(5)
    expect(gauge.isSlow).toBe(true)
    for (let count = 0; count < 60; count++) gauge.note(0.01)
    expect(gauge.isSlow).toBe(false)
  })

  it('does not consider a disk slow for occasional slow replies, however slow', () => {
    const gauge = new DiskLatency()
    for (let count = 0; count < 1_000; count++) gauge.note(count % 3 === 0 ? 900 : 0.01)
    expect(gauge.isSlow).toBe(false)
  })

  it('times only some of the calls', () => {
    const gauge = new DiskLatency()
    const begun = Array.from({ length: 32 }, () => gauge.begin())
    expect(begun.filter((startMs) => startMs !== 0)).toHaveLength(2)
  })

  it('checks ahead for existing and missing files', async () => {
    const directory = temporaryDirectory()
    const gauge = new DiskLatency()
    await gauge.askAhead(directory)
    await gauge.askAhead(`${directory}/none`)
    expect(gauge.isSlow).toBe(false)
  })
})
