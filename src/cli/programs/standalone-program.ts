/**
 * The program of the stand-alone executable, with all sub-commands.
 *
 * Rules: a process that the runtime starts as a worker (`serve --workers`) has the name of this program before its
 * arguments.
 */

import { commands } from '../options/option-table.ts'
import { loaders } from './loaders.ts'
import { start } from './main.ts'

const [program, ...words] = process.argv.slice(1)

start(
  {
    ...loaders,
    send: async () => (await import('../commands/send.ts')).send,
    run: async () => (await import('../commands/run.ts')).run,
    check: async () => (await import('../commands/check.ts')).check,
  },
  commands,
  words[0] === program ? words.slice(1) : words,
)
