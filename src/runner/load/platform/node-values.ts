/** The parts of `node:util` and `node:net` that assertions use: comparing values and recognising addresses. */
export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b)
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => {
    return Object.hasOwn(b, name) && isDeepStrictEqual((a as never)[name], (b as never)[name])
  })
}

export function isIPv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)
}

/** RFC 4291 section 2.2. */
export function isIPv6(text: string): boolean {
  const [address = '', zone] = text.split('%')
  if (zone === '') return false
  const tail = address.slice(address.lastIndexOf(':') + 1)
  const hasIPv4 = tail.includes('.')
  if (hasIPv4 && !isIPv4(tail)) return false
  const groups = hasIPv4 ? `${address.slice(0, -tail.length)}0:0` : address
  const halves = groups.split('::')
  if (halves.length > 2) return false
  const count = halves.flatMap((half) => (half === '' ? [] : half.split(':'))).length
  const areGroups = halves.every(
    (half) => half === '' || half.split(':').every((group) => /^[\da-f]{1,4}$/i.test(group)),
  )
  return areGroups && (halves.length === 2 ? count < 8 : count === 8)
}
