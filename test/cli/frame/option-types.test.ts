/**
 * Options by name: what a table does not have does not compile.
 *
 * Rules: the lines below `@ts-expect-error` are held by the compiler, which is part of the checks.
 */
import { expect, it } from 'vitest'
import { parseArguments } from '../../../src/cli/frame/argv.ts'
import type { CommandContext, ParsedArguments } from '../../../src/cli/frame/command.ts'
import type { CheckValues } from '../../../src/cli/options/check.ts'
import type { OptionName } from '../../../src/cli/options/option-table.ts'
import type { RunValues } from '../../../src/cli/options/run.ts'
import { type SendValues, send } from '../../../src/cli/options/send.ts'
import { readFileSettings, readRunSettings } from '../../../src/cli/run/settings.ts'

function sent(...words: string[]): ParsedArguments<SendValues> {
  const result = parseArguments(send, words)
  if (result.type !== 'arguments') throw new Error('help was requested')
  return result.arguments
}

it('options that are mistyped, of another command or read as another type do not compile', () => {
  const args = sent('http://localhost/', '-p', 'BODY', '--resolve', 'a:1:127.0.0.1')
  const found: readonly unknown[] = [
    // @ts-expect-error: a slip
    args.has('no-decod'),
    // @ts-expect-error: of run
    args.has('dry-run'),
    // @ts-expect-error: a flag
    args.value('json'),
    // @ts-expect-error: may be repeated
    args.value('resolve'),
    // @ts-expect-error: may not be repeated
    args.values('output'),
    // @ts-expect-error: no choice
    args.value('print-response-mode') === 'boddy',
  ]
  expect(found).toEqual([false, false, undefined, 'a:1:127.0.0.1', [], false])
  // @ts-expect-error
  const name: OptionName = 'no-decod'
  expect(send.options.some(({ long }) => long === name)).toBe(false)
})

it('options have the type of their definition', () => {
  const args = sent('http://localhost/', '-p', 'BODY', '--resolve', 'a:1:127.0.0.1', '--timeout', '3')
  const mode: 'response' | 'all' | 'body' | 'status' | 'stats' | undefined = args.value('print-response-mode')
  const seconds: string | undefined = args.value('timeout')
  const addresses: readonly string[] = args.values('resolve')
  expect([mode, seconds, addresses]).toEqual(['body', '3', ['a:1:127.0.0.1']])
})

it('options are available to code that reads them', () => {
  const read: readonly ((context: never) => unknown)[] = [
    (context: CommandContext<RunValues>) => readRunSettings(context),
    (context: CommandContext<CheckValues>) => readFileSettings(context),
    // @ts-expect-error: check has no --dry-run
    (context: CommandContext<CheckValues>) => readRunSettings(context),
    // @ts-expect-error: a command has no --seed because another one has
    (context: CommandContext): boolean => context.arguments.has('seed'),
  ]
  expect(read).toHaveLength(4)
})
