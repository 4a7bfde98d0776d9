/** The program for all sub-commands except `send`, `run` and `check`, which have their own programs (launcher.ts). */

import { commands } from '../options/option-table.ts'
import { loaders } from './loaders.ts'
import { start } from './main.ts'

start(loaders, commands)
