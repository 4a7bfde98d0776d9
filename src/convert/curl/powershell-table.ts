/**
 * Reads hash tables of PowerShell (`@{ "name" = "value"; … }`) whose values are texts, numbers or files.
 *
 * Rules (about_Hash_Tables): entries end at a line break or a semicolon; a name may be without quotes. `Get-Item path`
 * is a file. Any other value, such as a variable or a call, makes the table one that only PowerShell can compute.
 */
import { literal } from '../draft/literal-text.ts'
import { powerShellString } from './powershell.ts'

export interface TableEntry {
  readonly name: string
  readonly value: string
  readonly isFile: boolean
}

const bareName = /[A-Za-z_][\w-]*/y
const number = /-?\d+(?:\.\d+)?(?=[\s;}])/y
const sign = /[ \t]*=[ \t]*/y
const file = /Get-Item[ \t]+(?:-(?:Path|LiteralPath)[ \t]+)?/iy
const between = /[\s;]*/y

/** @param allowsFiles whether a value may be a file @returns undefined for anything else than such a table */
export function tableEntries(text: string, allowsFiles = false): readonly TableEntry[] | undefined {
  if (!/^@\{[\s\S]*\}$/.test(text)) return undefined
  const end = text.length - 1
  const entries: TableEntry[] = []
  let index = 2
  const read = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = index
    const found = pattern.exec(text)?.[0]
    index += found?.length ?? 0
    return found
  }
  const quoted = (): string | undefined => {
    if (!/["']/.test(text[index] ?? '')) return undefined
    const string = powerShellString(text, index)
    index = string.end
    return string.text
  }
  read(between)
  while (index < end) {
    const name = quoted() ?? read(bareName)
    if (name === undefined || read(sign) === undefined) return undefined
    const isFile = allowsFiles && read(file) !== undefined
    const value = quoted() ?? literalOf(read(number))
    if (value === undefined || !/[\s;}]/.test(text[index] ?? '')) return undefined
    entries.push({ name, value, isFile })
    read(between)
  }
  return entries
}

function literalOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : literal(text)
}
