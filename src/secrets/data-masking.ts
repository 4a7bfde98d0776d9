/**
 * Masks secrets in data: in every text of a value, at any depth.
 *
 * Rules: field names belong to this program and are not masked, and neither are fields with fixed words, since a
 * password may happen to be `passed`; nor a name in the field `file` that the user gave, by which a program opens the
 * file. A name that a request file gives may contain values of variables, so it is masked.
 */

/** Masks secrets in a text. Applied before the text is truncated, since half a secret would not be found. */
export type Mask = (text: string) => string

const ownWords: ReadonlySet<string> = new Set([
  'type',
  'generator',
  'code',
  'kind',
  'outcome',
  'skipReason',
  'cause',
  'direction',
  'severity',
])

/**
 * The same data with `mask` applied to each of its texts. Values without a secret are not copied.
 * @param ownFile the name of a file that the user gave, which is not masked in a field `file`
 */
export function maskedData<Type>(value: Type, mask: Mask, ownFile?: string | null): Type {
  if (typeof value === 'string') return mask(value) as Type
  if (Array.isArray(value)) {
    const items = value.map((item) => maskedData(item, mask, ownFile))
    return items.every((item, index) => item === value[index]) ? value : (items as Type)
  }
  if (typeof value !== 'object' || value === null) return value
  let changed: Record<string, unknown> | undefined
  for (const [name, item] of Object.entries(value)) {
    if (ownWords.has(name) || (name === 'file' && item === ownFile)) continue
    const masked = maskedData(item, mask, ownFile)
    if (masked !== item) changed = { ...(changed ?? value), [name]: masked }
  }
  return (changed ?? value) as Type
}
