/**
 * The values for curl commands: from -V, and from the environment selected by -e.
 *
 * Rules: a value is found by its expression in a request file: `user.name`, `ids[0]`. Values that contain variables are
 * unknown.
 */
import { resolve } from 'node:path'
import { loadOptionNames } from '../../convert/index.ts'
import type { JsonValue } from '../../http-file/index.ts'
import type { CommandContext } from '../frame/command.ts'
import type { ConvertValues } from '../options/convert.ts'
import { assignments } from '../run/settings.ts'

/** @param source the request file @throws UsageError; errors of environment files. */
export async function curlValues(
  { arguments: args, workingDirectory, stderr }: CommandContext<ConvertValues>,
  source: string,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  const name = args.value('environment')
  if (name !== undefined) {
    const { loadEnvironment } = await import('../../runner/index.ts')
    const { variables, warnings = [] } = loadEnvironment(resolve(workingDirectory, source), name)
    for (const { message } of warnings) await stderr.write(`warning: ${message}\n`)
    for (const [key, value] of variables) addValues(values, key, value)
  }
  for (const [key, value] of assignments(args.values('variable'), '-V')) values.set(key, value)
  return values
}

/** Options that apply only to scripts for k6. */
export const k6OptionNames = [...loadOptionNames, 'data', 'fail'] as const

function addValues(values: Map<string, string>, expression: string, value: JsonValue): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addValues(values, `${expression}[${index}]`, item)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) addValues(values, `${expression}.${key}`, item)
  } else if (value !== null && !String(value).includes('{{')) {
    values.set(expression, String(value))
  }
}
