/** The command line where its first word is `run`. */
import { run } from './commands/run.ts'
import { start } from './main.ts'
import { run as specification } from './options/run.ts'

start({ run: async () => run }, [specification])
