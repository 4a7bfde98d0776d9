/** The program for `send`. */
import { send } from '../commands/send.ts'
import { send as specification } from '../options/send.ts'
import { start } from './main.ts'

start({ send: async () => send }, [specification])
