/** The command line but for `send`, which is a program of its own (launcher.ts). */
import { start } from './main.ts'

start({
  run: async () => (await import('./commands/run.ts')).run,
  serve: async () => (await import('./commands/serve.ts')).serve,
})
