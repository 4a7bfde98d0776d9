/** The file descriptors of standard output and standard error, with Node.js. */
import { fstatSync, statSync, writeSync } from 'node:fs'
import type { OpenDescriptor } from '../streams/output.ts'

export const openDescriptor: OpenDescriptor = (descriptor) => ({
  isTerminal: () => mayBeTerminal(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor),
  write: (bytes) => writeSync(descriptor, bytes),
})

/** Recognises most descriptors that are not a terminal without loading a module: files, pipes and the null device. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const stream = fstatSync(descriptor)
    return stream.isCharacterDevice() && stream.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    // Not every system can stat a redirected stream: Wine cannot stat a file.
    return true
  }
}
