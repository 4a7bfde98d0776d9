/**
 * Replaces node-descriptor.ts in the stand-alone executable: writes with its runtime, Bun.
 *
 * Rules: a `send` takes 0.9 of the CPU time that it takes with node:fs and node:tty, which have to load their code
 * first. The runtime writes at once as long as the output accepts it, and in the background then.
 */
import type { OpenDescriptor } from '../streams/output.ts'

/** The part of the runtime's interface that is used. */
declare const Bun: {
  file(descriptor: number): object
  /** Writes all bytes. */
  write(file: object, bytes: Uint8Array): Promise<number>
}

declare const process: {
  binding(name: 'tty_wrap'): { isTTY(descriptor: number): boolean }
}

export const openDescriptor: OpenDescriptor = (descriptor) => ({
  isTerminal: () => process.binding('tty_wrap').isTTY(descriptor),
  write: (bytes) => Bun.write(Bun.file(descriptor), bytes),
})
