/** Replaces assertions/text-filters.ts: the full runtime filters texts. */
import type { FilterSurroundings } from '../../assertions/text-filters.ts'
import { wholeRuntime } from './whole-services.ts'

type Service = (...args: readonly unknown[]) => unknown

/** Each name has a function that loads the real one. */
function services(of: 'converters' | 'textFilters', names: readonly string[]): Readonly<Record<string, Service>> {
  const ask = (name: string): Service => {
    return (...args) => (wholeRuntime()[of] as unknown as Readonly<Record<string, Service>>)[name]?.(...args)
  }
  return Object.fromEntries(names.map((name) => [name, ask(name)]))
}

export const converters: Readonly<Record<string, Service>> = services('converters', [
  ...['first', 'last', 'toInt', 'toFloat', 'toString', 'toHex', 'urlEncode', 'urlDecode', 'htmlEscape'],
  ...['htmlUnescape', 'base64Encode', 'base64Decode', 'base64UrlSafeEncode', 'base64UrlSafeDecode'],
  ...['daysAfterNow', 'daysBeforeNow'],
])

export const textFilters: Readonly<Record<string, Service>> = services('textFilters', [
  ...['split', 'replace', 'replaceRegex', 'nth', 'jsonpath', 'toDate', 'format', 'decode', 'urlQueryParam'],
])

export type { FilterSurroundings }
