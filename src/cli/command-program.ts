/** The command line but for `send` and `run`, which are programs of their own (launcher.ts). */
import { start } from './main.ts'
import { commands } from './option-table.ts'

start(
  {
    serve: async () => (await import('./commands/serve.ts')).serve,
  },
  commands,
)
