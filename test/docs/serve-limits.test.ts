import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { limitOptions } from '../../src/cli/serve/limit-options.ts'
import { defaultLimits } from '../../src/server/limits/limits.ts'

const page = readFileSync(new URL('../../docs/serve.md', import.meta.url), 'utf8')

const factors = { k: 1024, M: 1024 ** 2 } as const

/** The default that the page gives: a count, seconds, or a size. */
function documented(option: string): string | undefined {
  return new RegExp(`^\\| \`--${option} <\\w+>\` \\| (\\S+) \\|`, 'm').exec(page)?.[1]
}

function shown(value: number, kind: string): readonly string[] {
  if (kind === 'seconds') return [String(value / 1000)]
  const units = Object.entries(factors).filter(([, factor]) => value % factor === 0)
  return [String(value), ...units.map(([unit, factor]) => `${value / factor}${unit}`)]
}

it.each(limitOptions.map(({ option, kind, key }) => [option, kind, key] as const))(
  'docs/serve.md gives the default of --%s',
  (option, kind, key) => {
    expect(shown(defaultLimits[key], kind)).toContain(documented(option))
  },
)
