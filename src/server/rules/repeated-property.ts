/**
 * Finds properties that an object of a JSON text has more than once. JSON.parse keeps the last one and silently drops
 * the others.
 *
 * Rules: the text is valid JSON, so a string before a colon is a name. Without recursion, because the depth of the text
 * is not limited.
 */
export interface RepeatedProperty {
  readonly name: string
  readonly offset: number
  /** The place of the property of the same name before it. */
  readonly earlier: { readonly line: number; readonly column: number }
}

export function repeatedProperties(json: string): readonly RepeatedProperty[] {
  const found: RepeatedProperty[] = []
  /** The names in each open object; undefined for an array. */
  const open: (Map<string, RepeatedProperty['earlier']> | undefined)[] = []
  const mark = /["{}[\]\n]/g
  let line = 1
  let lineStart = 0
  for (let match = mark.exec(json); match !== null; match = mark.exec(json)) {
    const { index: offset } = match
    const [character] = match
    if (character === '\n') {
      line++
      lineStart = offset + 1
    } else if (character === '{') open.push(new Map())
    else if (character === '[') open.push(undefined)
    else if (character !== '"') open.pop()
    else {
      const end = stringEnd(json, offset)
      mark.lastIndex = end
      if (!isBeforeColon(json, end)) continue
      const names = open.at(-1)
      const name = JSON.parse(json.slice(offset, end)) as string
      const earlier = names?.get(name)
      if (earlier !== undefined) found.push({ name, offset, earlier })
      names?.set(name, { line, column: offset - lineStart + 1 })
    }
  }
  return found
}

/** @param start of the opening quote @returns the offset after the closing one */
function stringEnd(json: string, start: number): number {
  const mark = /["\\]/g
  mark.lastIndex = start + 1
  for (let match = mark.exec(json); match !== null; match = mark.exec(json)) {
    if (match[0] === '"') return mark.lastIndex
    mark.lastIndex++
  }
  return json.length
}

function isBeforeColon(json: string, end: number): boolean {
  const colon = /[ \t\r\n]*:/y
  colon.lastIndex = end
  return colon.test(json)
}
