/** The command line where its first word is `send`. */
import { send } from '../commands/send.ts'
import { send as specification } from '../options/send.ts'
import { start } from './main.ts'

start({ send: async () => send }, [specification])
