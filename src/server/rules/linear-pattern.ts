/**
 * Patterns of rules files as automata: matching takes time linear in the length of the path, for every pattern.
 *
 * Rules: a pattern is compiled once and run over the path with all of its states in parallel (Thompson), without
 * backtracking; of several matches, the first in the order of the pattern gives the captures (Pike). Text is compared
 * by code units, optionally ignoring case.
 */

/** In characters. A longer pattern is a mistake, and would slow down each request. */
export const maximumPatternLength = 2_000

export type PatternNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'character'; readonly includes: (codeUnit: number) => boolean }
  | { readonly kind: 'sequence'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly node: PatternNode; readonly minimum: 0 | 1; readonly isUnbounded: boolean }
  | { readonly kind: 'capture'; readonly name: string; readonly node: PatternNode }

export const text = (value: string): PatternNode => ({ kind: 'text', text: value })
export const sequence = (...nodes: readonly PatternNode[]): PatternNode => ({ kind: 'sequence', nodes })
export const choice = (...nodes: readonly PatternNode[]): PatternNode => ({ kind: 'choice', nodes })
export const capture = (name: string, node: PatternNode): PatternNode => ({ kind: 'capture', name, node })
export const optional = (node: PatternNode): PatternNode => ({ kind: 'repeat', node, minimum: 0, isUnbounded: false })
export const many = (node: PatternNode, minimum: 0 | 1 = 0): PatternNode => {
  return { kind: 'repeat', node, minimum, isUnbounded: true }
}
export const character = (includes: (codeUnit: number) => boolean): PatternNode => ({ kind: 'character', includes })

const slash = 0x2f

export const anything: PatternNode = many(character(() => true))
export const inSegment: PatternNode = character((codeUnit) => codeUnit !== slash)

/** The captures of a match by name. A capture that did not participate is absent. */
export type Captures = ReadonlyMap<string, string>

type Instruction =
  | { readonly kind: 'character'; readonly includes: (codeUnit: number) => boolean }
  | { readonly kind: 'split'; readonly to: readonly number[] }
  | { readonly kind: 'save'; readonly slot: number }
  | { readonly kind: 'match' }

/** A state of the automaton with its captures so far. */
interface Thread {
  readonly at: number
  readonly slots: readonly (number | undefined)[]
}

export class LinearPattern {
  /** The common prefix of all matching paths, folded if case is ignored. */
  readonly prefix: string
  readonly #program: Instruction[] = []
  readonly #names: string[] = []
  readonly #isCaseInsensitive: boolean
  /** Whether the prefix is the whole pattern. */
  readonly #isPlain: boolean
  /** Whether a path ends after the prefix, or continues with a slash. */
  readonly #isPrefixWhole: boolean

  constructor(node: PatternNode, { isCaseInsensitive = false }: { readonly isCaseInsensitive?: boolean } = {}) {
    this.#isCaseInsensitive = isCaseInsensitive
    this.#emit(node)
    this.#program.push({ kind: 'match' })
    const leading = leadingText(node)
    this.prefix = fold(leading.text, isCaseInsensitive)
    this.#isPlain = leading.isWhole && this.#names.length === 0
    this.#isPrefixWhole = leading.isWhole || leading.isBeforeSlash
  }

  /** The first segment of all matching paths, with its slash; undefined if there are several. */
  get firstSegment(): string | undefined {
    const end = this.prefix.indexOf('/', 1)
    if (end > 0) return this.prefix.slice(0, end)
    return this.#isPrefixWhole && this.prefix.length > 1 ? this.prefix : undefined
  }

  /** The only path that matches; undefined if there are several. */
  get plainPath(): string | undefined {
    return this.#isPlain ? this.prefix : undefined
  }

  /** Undefined unless the whole path matches. */
  match(path: string): Captures | undefined {
    if (this.#isPlain) return fold(path, this.#isCaseInsensitive) === this.prefix ? noCaptures : undefined
    const slots = this.#run(path)?.find(({ at }) => this.#program[at]!.kind === 'match')?.slots
    if (slots === undefined) return undefined
    const found = this.#names.flatMap((name, index) => {
      const start = slots[2 * index]
      const end = slots[2 * index + 1]
      return start === undefined || end === undefined ? [] : [[name, path.slice(start, end)] as const]
    })
    return new Map(found)
  }

  /** The states after the path, in order; undefined if no state is left. */
  #run(path: string): readonly Thread[] | undefined {
    const folded = fold(path, this.#isCaseInsensitive)
    if (!folded.startsWith(this.prefix)) return undefined
    let threads = this.#follow([{ at: 0, slots: [] }], 0)
    for (let position = 0; position < folded.length && threads.length > 0; position++) {
      const codeUnit = folded.charCodeAt(position)
      const taken = threads.filter(({ at }) => {
        const instruction = this.#program[at]!
        return instruction.kind === 'character' && instruction.includes(codeUnit)
      })
      threads = this.#follow(
        taken.map(({ at, slots }) => ({ at: at + 1, slots })),
        position + 1,
      )
    }
    return threads.length === 0 ? undefined : threads
  }

  /** All states that are reachable without a character, each once: the first path to a state counts. */
  #follow(starts: readonly Thread[], position: number): Thread[] {
    const reached: Thread[] = []
    const seen = new Set<number>()
    const waiting = [...starts].reverse()
    for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
      const { at, slots } = thread
      if (seen.has(at)) continue
      seen.add(at)
      const instruction = this.#program[at]!
      if (instruction.kind === 'split') {
        for (const to of instruction.to.toReversed()) waiting.push({ at: to, slots })
      } else if (instruction.kind === 'save') {
        const saved = [...slots]
        saved[instruction.slot] = position
        waiting.push({ at: at + 1, slots: saved })
      } else {
        reached.push(thread)
      }
    }
    return reached
  }

  #emit(node: PatternNode): void {
    const program = this.#program
    if (node.kind === 'text') {
      for (const codeUnit of codeUnitsOf(fold(node.text, this.#isCaseInsensitive))) {
        program.push({ kind: 'character', includes: (found) => found === codeUnit })
      }
    } else if (node.kind === 'character') {
      program.push(node)
    } else if (node.kind === 'sequence') {
      for (const part of node.nodes) this.#emit(part)
    } else if (node.kind === 'choice') {
      this.#emitChoice(node.nodes)
    } else if (node.kind === 'repeat') {
      this.#emitRepeat(node)
    } else {
      const slot = 2 * this.#names.push(node.name) - 2
      program.push({ kind: 'save', slot })
      this.#emit(node.node)
      program.push({ kind: 'save', slot: slot + 1 })
    }
  }

  #emitChoice(nodes: readonly PatternNode[]): void {
    const program = this.#program
    const begin = program.push({ kind: 'split', to: [] }) - 1
    const starts: number[] = []
    const ends: number[] = []
    for (const node of nodes) {
      starts.push(program.length)
      this.#emit(node)
      ends.push(program.push({ kind: 'split', to: [] }) - 1)
    }
    program[begin] = { kind: 'split', to: starts }
    for (const end of ends) program[end] = { kind: 'split', to: [program.length] }
  }

  #emitRepeat({ node, minimum, isUnbounded }: Extract<PatternNode, { kind: 'repeat' }>): void {
    const program = this.#program
    const begin = program.length
    if (minimum === 0) program.push({ kind: 'split', to: [] })
    this.#emit(node)
    if (isUnbounded) program.push({ kind: 'split', to: [begin, program.length + 1] })
    if (minimum === 0) program[begin] = { kind: 'split', to: [begin + 1, program.length] }
  }
}

const noCaptures: Captures = new Map()

/** Lower case if that keeps the positions of code units: a few letters have a longer lower case. */
function fold(path: string, isCaseInsensitive: boolean): string {
  if (!isCaseInsensitive) return path
  const folded = path.toLowerCase()
  return folded.length === path.length ? folded : path.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function codeUnitsOf(value: string): readonly number[] {
  return Array.from({ length: value.length }, (_, index) => value.charCodeAt(index))
}

interface LeadingText {
  readonly text: string
  /** Whether it is the whole pattern. */
  readonly isWhole: boolean
  /** Whether nothing but a slash can follow it. */
  readonly isBeforeSlash: boolean
}

/** The text that a pattern begins with. */
function leadingText(node: PatternNode): LeadingText {
  if (node.kind === 'text') return { text: node.text, isWhole: true, isBeforeSlash: false }
  if (node.kind === 'capture') return leadingText(node.node)
  if (node.kind !== 'sequence') return { text: '', isWhole: false, isBeforeSlash: isEmptyOrAfterSlash(node) }
  let found = ''
  for (const [index, part] of node.nodes.entries()) {
    const { text, isWhole, isBeforeSlash } = leadingText(part)
    found += text
    if (isWhole) continue
    const others = node.nodes.slice(index + 1)
    return { text: found, isWhole, isBeforeSlash: isBeforeSlash && others.every(isEmptyOrAfterSlash) }
  }
  return { text: found, isWhole: true, isBeforeSlash: false }
}

/** Whether all that the pattern matches is empty or begins with a slash. */
function isEmptyOrAfterSlash(node: PatternNode): boolean {
  if (node.kind === 'text') return node.text === '' || node.text.startsWith('/')
  if (node.kind === 'character') return false
  if (node.kind === 'choice') return node.nodes.every(isEmptyOrAfterSlash)
  if (node.kind !== 'sequence') return isEmptyOrAfterSlash(node.node)
  const [first] = node.nodes
  return (first?.kind === 'text' && first.text.startsWith('/')) || node.nodes.every(isEmptyOrAfterSlash)
}
