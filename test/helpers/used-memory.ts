/** The memory that a program holds, after everything that is not used has been released. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
