/** For tests of conversions: a text converted, and what `run` would send of the result. */
import { expect } from 'vitest'
import { type Converted, convert, formatOf, type SourceFormat, type TargetFormat } from '../../src/convert/index.ts'
import { formatHttpFile, parseHttpFile } from '../../src/http-file/index.ts'
import { prepareText, type SentRequest } from '../runner/preparing.ts'

export interface ConvertSettings {
  readonly from?: SourceFormat
  readonly to?: TargetFormat
  readonly hasDirectory?: boolean
  readonly values?: Readonly<Record<string, string>>
}

/** The result; a request file that was made is one that parses, and is laid out already. */
export async function converted(text: string, settings: ConvertSettings = {}): Promise<Converted> {
  const source = { path: 'source', text }
  const from = settings.from ?? formatOf(source)
  if (from === undefined) throw new Error(`no format: ${text}`)
  const to = settings.to ?? 'http'
  const values = new Map(Object.entries(settings.values ?? {}))
  const result = await convert(source, { from, to, hasDirectory: settings.hasDirectory ?? false, values })
  if (to === 'http') {
    expect(parseHttpFile(result.text).errors).toEqual([])
    expect(formatHttpFile(result.text).text).toBe(result.text)
  }
  return result
}

/** The losses as lines. */
export function lossesOf({ losses }: Converted): readonly string[] {
  return losses.map(({ place, message }) => `${place}: ${message}`)
}

/** The requests that a request file sends. */
export async function sentOf(
  text: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  environmentName?: string,
): Promise<readonly SentRequest[]> {
  const { sent, errors } = await prepareText(text, {
    files,
    ...(environmentName === undefined ? {} : { environmentName }),
  })
  expect(errors).toEqual([])
  return sent
}

/** Of a header of a sent request; if any. */
export function headerOf({ headers }: SentRequest, name: string): string | undefined {
  return headers.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2)
}
