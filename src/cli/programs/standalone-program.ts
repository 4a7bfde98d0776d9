/**
 * The entry point of the stand-alone executable: loads the program that executes the command line.
 *
 * Rules: each program is one chunk, as in the npm package: the executable loads `send` in 0.93 of the time that shared
 * chunks would take. The version is printed without loading a program, which would be a fifth of the run time. A
 * process that the runtime starts as a worker (`serve --workers`) has the name of this program before its arguments.
 */
import { existsSync } from 'node:fs'
import { versionLine } from '../help/version.ts'
import { type ProgramName, programFor } from './program-choice.ts'
import { openDescriptor } from './runtime-descriptor.ts'

const loaders: Readonly<Record<ProgramName, () => Promise<unknown>>> = {
  command: () => import('./command-program.ts'),
  send: () => import('./send-program.ts'),
  run: () => import('./run-program.ts'),
}

/** Returns false if the version cannot be printed: a program, which fails in the same way, then reports why. */
async function isVersionPrinted(): Promise<boolean> {
  try {
    await openDescriptor(1).write(new TextEncoder().encode(`${versionLine(process.versions)}\n`))
    return true
  } catch {
    return false
  }
}

if (process.argv[2] === process.argv[1]) process.argv.splice(2, 1)
const words = process.argv.slice(2)
const program = programFor(words, existsSync)
// Before a URL, these words are options of send.
const isVersionWanted = program === 'command' && ['--version', '-v'].includes(words[0] ?? '')
if (!isVersionWanted || !(await isVersionPrinted())) await loaders[program]()
