/**
 * Finds the section and the part of the syntax tree at a position in a request file.
 *
 * Rules: sections and parts are adjacent, so a position after the last one belongs to the last one. The offsets of a
 * file's sections are computed once.
 */
import type { HttpFile, Part, Section, SeparatorNode } from '../../http-file/index.ts'

/** Offsets count UTF-16 units from the start of the file. */
export interface SectionAt {
  readonly section: Section
  readonly index: number
  readonly offset: number
  /** Offset after its last line. */
  readonly end: number
}

export interface PartAt {
  readonly part: Part | SeparatorNode
  /** The offset of its text, including its indent. */
  readonly offset: number
  readonly end: number
}

const known = new WeakMap<HttpFile, readonly SectionAt[]>()

/** The sections of a file with their offsets, in the order of the file. */
export function sectionsOf(file: HttpFile): readonly SectionAt[] {
  const found = known.get(file)
  if (found !== undefined) return found
  let offset = file.byteOrderMark.length
  const sections = file.sections.map((section, index) => {
    const start = offset
    for (const { text } of nodesOf(section)) offset += text.length
    return { section, index, offset: start, end: offset }
  })
  known.set(file, sections)
  return sections
}

/** The parts of a section with their offsets; the separator is the first. */
export function partsAt({ section, offset }: SectionAt): readonly PartAt[] {
  let at = offset
  return nodesOf(section).map((part) => {
    const start = at
    at += part.text.length
    return { part, offset: start, end: at }
  })
}

/** Undefined in a file without sections. A position between two sections belongs to the later one. */
export function sectionAt(file: HttpFile, offset: number): SectionAt | undefined {
  const sections = sectionsOf(file)
  let low = 0
  let high = sections.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sections[middle] as SectionAt).offset <= offset) low = middle
    else high = middle - 1
  }
  return sections[low]
}

/** The part at a position; at the end of the file, the part before it. */
export function partAt(file: HttpFile, offset: number): PartAt | undefined {
  const section = sectionAt(file, offset)
  if (section === undefined) return undefined
  const parts = partsAt(section)
  return parts.find(({ end }) => offset < end) ?? parts.at(-1)
}

function nodesOf({ separator, parts }: Section): readonly (Part | SeparatorNode)[] {
  return separator === undefined ? parts : [separator, ...parts]
}
