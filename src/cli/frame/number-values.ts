/** Values of options that are whole numbers or sizes: every sub-command reads them in the same way. */
import { UsageError } from './usage-error.ts'

export interface TextValues<Name> {
  readonly value: (name: Name) => string | undefined
}

/** A whole number; undefined without the option. @throws UsageError */
export function numberValue<Name extends string>(
  args: TextValues<Name>,
  name: Name,
  [min, max]: readonly [min: number, max: number],
  hint: string,
): number | undefined {
  const text = args.value(name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  const message = `invalid --${name} ${JSON.stringify(text)}: expected a number from ${min} to ${max}`
  throw new UsageError(message, { hint })
}

const factors: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Bytes: `65536`, `64k`, `16M`; undefined for any other text. */
export function parseSizeBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+)([kmg]?)$/i.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (factors[unit.toLowerCase()] as number)
}
