/**
 * Replaces node-descriptor.ts in the stand-alone executable: writes with its runtime, Bun.
 *
 * Rules: a `send` takes 0.9 of the CPU time that it takes with node:fs and node:tty, which have to load their code
 * first. The runtime writes synchronously as long as the output accepts bytes, and in the background after that. A
 * write takes longer than with node:fs, so only the first ones are written this way.
 */
import { getBuiltinModule } from 'node:process'
import type { OpenDescriptor } from '../streams/output.ts'

/** The part of the runtime's interface that is used. */
declare const Bun: {
  file(descriptor: number): object
  write(file: object, bytes: Uint8Array): Promise<number>
}

declare const process: {
  binding(name: 'tty_wrap'): { isTTY(descriptor: number): boolean }
}

/** More writes would take longer than loading node:fs. */
const RUNTIME_WRITES = 32

export const openDescriptor: OpenDescriptor = (descriptor) => {
  const file = Bun.file(descriptor)
  let writes = 0
  return {
    isTerminal: () => process.binding('tty_wrap').isTTY(descriptor),
    write: (bytes) =>
      writes++ < RUNTIME_WRITES ? Bun.write(file, bytes) : getBuiltinModule('node:fs').writeSync(descriptor, bytes),
  }
}
