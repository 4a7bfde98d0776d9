/** The limits of `serve`: values, and a help that says what the server does. */
import { describe, expect, it } from 'vitest'
import type { AnyValues, ParsedArguments } from '../../../src/cli/frame/command.ts'
import { serve } from '../../../src/cli/options/serve.ts'
import { limitOptions, readLimits } from '../../../src/cli/serve/limit-options.ts'
import { defaultLimits } from '../../../src/server/index.ts'

const args = (values: Readonly<Record<string, string>>): ParsedArguments<AnyValues> => ({
  positionals: [],
  has: (name) => name in values,
  value: (name) => values[name],
  values: () => [],
})

describe('an option that limits clients', () => {
  it.each([
    ['header-timeout', '5', { headerTimeoutMs: 5_000 }],
    ['idle-timeout', '0.25', { idleTimeoutMs: 250 }],
    ['max-header-size', '4096', { headerBytes: 4_096 }],
    ['max-header-size', '16k', { headerBytes: 16_384 }],
    ['cache-size', '1M', { cacheBytes: 1_048_576 }],
    ['cache-size', '2g', { cacheBytes: 2_147_483_648 }],
    ['max-connections', '10', { connections: 10 }],
  ])('--%s %s is taken', (option, text, limits) => {
    expect(readLimits(args({ [option]: text }))).toEqual(limits)
  })

  it.each([
    ['header-timeout', '0'],
    ['header-timeout', '-1'],
    ['header-timeout', '1e3'],
    ['header-timeout', '10s'],
    ['header-timeout', ''],
    ['header-timeout', '0.0001'],
    ['header-timeout', '2147484'],
    ['max-header-size', '0'],
    ['max-header-size', '1.5k'],
    ['max-header-size', '64kb'],
    ['max-header-size', '99999999999999999999'],
    ['max-header-size', '4G'],
    ['cache-size', '9007199254740993'],
    ['max-connections', '0'],
    ['max-streams', '4294967296'],
    ['max-connections', '1k'],
    ['max-connections', '０'],
  ])('--%s %s is refused in words', (option, text) => {
    expect(() => readLimits(args({ [option]: text }))).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(`--${option} ${JSON.stringify(text)}`),
      }),
    )
  })

  it('names the maximum if a value is larger', () => {
    expect(() => readLimits(args({ 'idle-timeout': '2147484' }))).toThrow('expected at most 2147483')
  })

  it('limits nothing if none is given', () => {
    expect(readLimits(args({}))).toEqual({})
  })

  it.each(limitOptions)('--$option states its actual default in the help', ({ option, kind, key }) => {
    const row = serve.options.find(({ long }) => long === option)
    const shown = /Default (\S+?)\.?$/.exec(row?.description ?? '')?.[1] ?? ''
    const factor = kind === 'seconds' ? 1_000 : shown.endsWith('M') ? 1_048_576 : shown.endsWith('k') ? 1_024 : 1
    expect(Number.parseFloat(shown) * factor).toBe(defaultLimits[key])
  })
})
