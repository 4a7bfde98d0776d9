/** The command line except `send`, `run` and `check`, which are separate programs (launcher.ts). */

import { commands } from '../options/option-table.ts'
import { loaders } from './loaders.ts'
import { start } from './main.ts'

start(loaders, commands)
