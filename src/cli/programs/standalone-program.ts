/**
 * The entry point of the stand-alone executable: loads the program that executes the command line.
 *
 * Rules: each program is one chunk, as in the npm package: the executable loads `send` in 0.93 of the time that shared
 * chunks would take. A process that the runtime starts as a worker (`serve --workers`) has the name of this program
 * before its arguments.
 */
import { existsSync } from 'node:fs'
import { type ProgramName, programFor } from './program-choice.ts'

const loaders: Readonly<Record<ProgramName, () => Promise<unknown>>> = {
  command: () => import('./command-program.ts'),
  send: () => import('./send-program.ts'),
  run: () => import('./run-program.ts'),
}

if (process.argv[2] === process.argv[1]) process.argv.splice(2, 1)
await loaders[programFor(process.argv.slice(2), existsSync)]()
