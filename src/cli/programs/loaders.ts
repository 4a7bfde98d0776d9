/** Loaders of the sub-commands that are not separate programs. */
import type { Loaders } from './main.ts'

export const loaders: Loaders = {
  report: async () => (await import('../commands/report.ts')).report,
  serve: async () => (await import('../commands/serve.ts')).serve,
  convert: async () => (await import('../commands/convert.ts')).convert,
  fmt: async () => (await import('../commands/fmt.ts')).fmt,
  completion: async () => (await import('../commands/completion.ts')).completion,
}
