/** The command line but for `send`, `run` and `check`, which are programs of their own (launcher.ts). */
import { loaders } from './loaders.ts'
import { start } from './main.ts'
import { commands } from './option-table.ts'

start(loaders, commands)
