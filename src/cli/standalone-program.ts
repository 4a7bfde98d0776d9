/** The command line of the stand-alone executable: all sub-commands in one program. */
import { start } from './main.ts'
import { commands } from './option-table.ts'

start(
  {
    send: async () => (await import('./commands/send.ts')).send,
    run: async () => (await import('./commands/run.ts')).run,
    serve: async () => (await import('./commands/serve.ts')).serve,
  },
  commands,
)
