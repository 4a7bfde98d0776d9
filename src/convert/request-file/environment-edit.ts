/**
 * Adds members to the text of an environment file that exists.
 *
 * Rules: everything that the file has stays as it is written, with its comments and the digits of its numbers. New
 * members come first in their object, in the layout of its first member, so that comments stay with their members.
 */
import { type JsonNode, type JsonValue, parseJsonSource } from '../../http-file/index.ts'

export type Environments = Readonly<Record<string, Readonly<Record<string, JsonValue>>>>

type ObjectNode = Extract<JsonNode, { type: 'object' }>

interface Insertion {
  readonly offset: number
  readonly text: string
}

/** @param text of a valid environment file @param added the environments with the variables that they lack */
export function withEnvironments(text: string, added: Environments): string {
  const root = parseJsonSource(text, { isRelaxed: true })
  if (!('type' in root) || root.type !== 'object') return text
  const insertions: Insertion[] = []
  const missing: [name: string, value: JsonValue][] = []
  for (const [name, values] of Object.entries(added)) {
    const known = root.members.find(({ key }) => key === name)?.value
    if (known?.type === 'object') insertions.push(insertion(text, known, Object.entries(values)))
    else missing.push([name, values])
  }
  insertions.push(insertion(text, root, missing))
  return insertions
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((whole, { offset, text: inserted }) => whole.slice(0, offset) + inserted + whole.slice(offset), text)
}

function insertion(text: string, object: ObjectNode, members: readonly [name: string, value: JsonValue][]): Insertion {
  const offset = object.span.offset + 1
  if (members.length === 0) return { offset, text: '' }
  const first = object.members[0]?.keySpan.offset
  const lineStart = first === undefined ? undefined : /\r?\n[ \t]*$/.exec(text.slice(0, first))?.[0]
  const isInline = first !== undefined && (lineStart === undefined || first - lineStart.length < offset - 1)
  if (isInline) return { offset, text: members.map((member) => `${memberText(member)}, `).join('') }
  const line = lineStart ?? '\n  '
  const lines = members.map((member) => line + memberText(member, line))
  return { offset, text: first === undefined ? `${lines.join(',')}\n` : `${lines.join(',')},` }
}

/** @param line the line break and the indent before it; undefined within a line */
function memberText([name, value]: readonly [name: string, value: JsonValue], line?: string): string {
  const json = JSON.stringify(value, undefined, line === undefined ? 0 : 2)
  return `${JSON.stringify(name)}: ${line === undefined ? json : json.replaceAll('\n', () => line)}`
}
