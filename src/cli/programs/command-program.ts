/** The command line but for `send`, `run` and `check`, which are programs of their own (launcher.ts). */

import { commands } from '../options/option-table.ts'
import { loaders } from './loaders.ts'
import { start } from './main.ts'

start(loaders, commands)
