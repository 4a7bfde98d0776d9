/**
 * Reads hash tables of PowerShell (`@{ "name" = "value"; … }`).
 *
 * Rules (about_Hash_Tables): entries end at a line break or a semicolon; a name may be without quotes. A value is a
 * text, a number, a variable or, after `Get-Item`, a file. Only PowerShell can compute any other value, such as a call.
 */
import { literal } from '../draft/literal-text.ts'
import { closingBracket, powerShellString } from './powershell.ts'

export interface TableEntry {
  readonly name: string
  readonly value: string
  readonly isFile: boolean
}

/** An entry whose value may be computed. */
export interface TableMember extends Omit<TableEntry, 'value'> {
  /** Undefined if only PowerShell can compute it. */
  readonly value: string | undefined
  /** The value as written. */
  readonly code: string
}

export interface TableSettings {
  /** The values of variables that were assigned before. */
  readonly values: ReadonlyMap<string, string>
  /** Whether a value may be a file. */
  readonly allowsFiles?: boolean
}

const bareName = /[A-Za-z_][\w-]*/y
const number = /-?\d+(?:\.\d+)?/y
const variable = /\$(?:\w+:)?(\w+)/y
const sign = /[ \t]*=[ \t]*/y
const file = /Get-Item[ \t]+(?:-(?:Path|LiteralPath)[ \t]+)?/iy
/** A table to which entries were added has a bracket before each. */
const between = /[\s;}]*/y

/** @returns undefined for anything but a table whose values are known */
export function tableEntries(text: string, settings: TableSettings): readonly TableEntry[] | undefined {
  const members = tableMembers(text, settings)
  const entries = members?.flatMap(({ name, value, isFile }) => (value === undefined ? [] : [{ name, value, isFile }]))
  return entries?.length === members?.length ? entries : undefined
}

/** @returns undefined for anything but a table */
export function tableMembers(text: string, settings: TableSettings): readonly TableMember[] | undefined {
  if (!/^@\{[\s\S]*\}$/.test(text)) return undefined
  const end = text.length - 1
  const members: TableMember[] = []
  let index = 2
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index
    const found = pattern.exec(text)
    index += found?.[0].length ?? 0
    return found?.[1] ?? found?.[0]
  }
  const quoted = (): string | undefined => {
    if (!/["']/.test(text[index] ?? '')) return undefined
    const string = powerShellString(text, index)
    index = string.end
    return string.text
  }
  const assigned = (name: string | undefined): string | undefined => {
    if (name === undefined) return undefined
    const value = settings.values.get(name) ?? `{{${name}}}`
    return /^(?:\(|@\{)/.test(value) ? undefined : value
  }
  read(between)
  while (index < end) {
    const name = quoted() ?? read(bareName)
    if (name === undefined || read(sign) === undefined) return undefined
    const start = index
    const isFile = settings.allowsFiles === true && read(file) !== undefined
    const value = quoted() ?? literalOf(read(number)) ?? assigned(read(variable))
    const valueEnd = index
    index = entryEnd(text, index, end)
    const isWhole = text.slice(valueEnd, index).trim() === ''
    members.push({ name, value: isWhole ? value : undefined, isFile, code: text.slice(start, index).trim() })
    read(between)
  }
  return members
}

/** The index of the line break, semicolon or bracket that ends an entry. */
function entryEnd(text: string, start: number, end: number): number {
  let index = start
  while (index < end && !/[;\n}]/.test(text[index] as string)) {
    const character = text[index] as string
    if (/["']/.test(character)) index = powerShellString(text, index).end
    else if (character === '(' || character === '{')
      index = closingBracket(text, index, character === '(' ? '()' : '{}', false)
    else index++
  }
  return index
}

function literalOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : literal(text)
}
