/** The program for `run`, and for `check` and `lsp`, which need most of the code of `run`. */
import { run } from '../commands/run.ts'
import { check as checkSpecification } from '../options/check.ts'
import { lsp as lspSpecification } from '../options/lsp.ts'
import { run as specification } from '../options/run.ts'
import { start } from './main.ts'

start(
  {
    run: async () => run,
    check: async () => (await import('../commands/check.ts')).check,
    lsp: async () => (await import('../commands/lsp.ts')).lsp,
  },
  [specification, checkSpecification, lspSpecification],
)
