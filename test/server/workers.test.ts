import { expect, it, onTestFinished } from 'vitest'
import { startWorkers } from '../../src/server/workers.ts'

it('fails if the system creates no process for a worker', async () => {
  const { execPath } = process
  process.execPath = '/nonexistent'
  onTestFinished(() => {
    process.execPath = execPath
  })
  await expect(startWorkers(2, { port: 0 }, () => undefined)).rejects.toThrow(
    'no process could be created for a worker: spawn /nonexistent ENOENT',
  )
})
