/**
 * The patterns of `serve.json`: globs as in minimatch, plus the named segments of path-to-regexp in rules that allow
 * them.
 *
 * Rules: `*` and `?` match within a segment, a segment `**` matches any number of segments, `[...]` is a class, `{a,b}`
 * and `@(a|b)`, `?(...)`, `*(...)`, `+(...)` are alternatives; a leading exclamation mark negates the pattern. In rules
 * with named segments, `:name` matches one segment, `:name?`, `:name*` and `:name+` match optional or repeated
 * segments, and `:name(a|b)` matches one of the words. Patterns that need a regular expression or a look-ahead
 * (`!(...)`) are refused.
 */
import {
  anything,
  type Captures,
  capture,
  character,
  choice,
  inSegment,
  LinearPattern,
  many,
  maximumPatternLength,
  optional,
  type PatternNode,
  sequence,
  text,
} from './linear-pattern.ts'
import type { PatternFault } from './path-pattern.ts'

/** Nested groups multiply the size of the automaton. */
const maximumDepth = 8

export class GlobPattern {
  /** Names of `:name` segments. */
  readonly names: ReadonlySet<string>
  readonly #pattern: LinearPattern
  readonly #isNegated: boolean

  private constructor(pattern: LinearPattern, isNegated: boolean, names: ReadonlySet<string>) {
    this.#pattern = pattern
    this.#isNegated = isNegated
    this.names = names
  }

  static parse(source: string, hasSegments: boolean): GlobPattern | PatternFault {
    if (source.length > maximumPatternLength)
      return { index: 0, message: `the pattern is longer than ${maximumPatternLength} characters` }
    const isNegated = source.startsWith('!') && source[1] !== '('
    const body = isNegated ? source.slice(1) : source
    const slashed = `/${body}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
    const reader = new GlobReader(slashed, hasSegments)
    const node = reader.read()
    if ('message' in node) return { ...node, index: Math.max(0, node.index + source.length - slashed.length) }
    return new GlobPattern(new LinearPattern(node, { isCaseInsensitive: hasSegments }), isNegated, reader.names)
  }

  /** The only path that matches; undefined if there are several. */
  get plainPath(): string | undefined {
    return this.#isNegated ? undefined : this.#pattern.plainPath
  }

  /** The first segment of all matching paths, with its slash; undefined if there are several. */
  get firstSegment(): string | undefined {
    return this.#isNegated ? undefined : this.#pattern.firstSegment
  }

  /** `path`: decoded, without a trailing slash. */
  match(path: string): Captures | undefined {
    // The root has no segment: `/:path*` matches it as it matches any directory without further segments.
    const found = this.#pattern.match(path) ?? (path === '/' ? this.#pattern.match('') : undefined)
    if (this.#isNegated) return found === undefined ? new Map() : undefined
    return found
  }
}

/** Custom patterns of path-to-regexp that are supported because they need no regular expression. */
const knownExpressions: ReadonlyMap<string, PatternNode> = new Map([
  ['.*', anything],
  [
    '.+',
    many(
      character(() => true),
      1,
    ),
  ],
  ['[^/]*', many(inSegment)],
  ['[^/]+', many(inSegment, 1)],
  ['\\d+', many(character(isDigit), 1)],
  ['[0-9]+', many(character(isDigit), 1)],
  ['\\w+', many(character(isWord), 1)],
])

class GlobReader {
  readonly names: Set<string> = new Set()
  readonly #source: string
  readonly #hasSegments: boolean
  #at = 0
  #fault: PatternFault | undefined

  constructor(source: string, hasSegments: boolean) {
    this.#source = source
    this.#hasSegments = hasSegments
  }

  read(): PatternNode | PatternFault {
    const node = this.#sequence('', 0)
    if (this.#fault === undefined && this.#at < this.#source.length) this.#fail('unexpected character')
    return this.#fault ?? node
  }

  #fail(message: string): PatternNode {
    this.#fault ??= { index: this.#at, message }
    this.#at = this.#source.length
    return text('')
  }

  #next(start: string): boolean {
    return this.#source.startsWith(start, this.#at)
  }

  /** Parses up to one of the characters in `ends`, or the end. */
  #sequence(ends: string, depth: number): PatternNode {
    if (depth > maximumDepth) return this.#fail(`groups are nested deeper than ${maximumDepth}`)
    const nodes: PatternNode[] = []
    while (this.#at < this.#source.length && !ends.includes(this.#source[this.#at]!)) nodes.push(this.#item(depth))
    return sequence(...nodes)
  }

  #item(depth: number): PatternNode {
    const found = this.#source[this.#at]!
    if (found === '/') return this.#slash()
    if ('@?*+!'.includes(found) && this.#source[this.#at + 1] === '(') return this.#extendedGroup(found, depth)
    if (this.#hasSegments && found === ':' && /[A-Za-z_]/.test(this.#source[this.#at + 1] ?? '')) return this.#named()
    if (this.#hasSegments && found === '(') return this.#expression()
    this.#at += 1
    if (found === '*') return this.#stars()
    if (found === '?') return inSegment
    if (found === '[') return this.#class()
    if (found === '{') return this.#braces(depth)
    if (found === '\\' && this.#at < this.#source.length) return text(this.#source[this.#at++]!)
    return text(found)
  }

  /** `/**` includes its slash, as does an optional or repeated `/:name`. */
  #slash(): PatternNode {
    const rest = this.#source.slice(this.#at)
    if (/^\/\*\*(?=\/|$)/.test(rest)) {
      this.#at += 3
      const below = sequence(text('/'), anything)
      // A glob requires something below its directory; path-to-regexp also matches the directory itself.
      return this.#at === this.#source.length && !this.#hasSegments ? below : optional(below)
    }
    this.#at += 1
    if (!this.#hasSegments || !/^\/:\w+(?:\([^()]*\))?[?*+]/.test(rest)) return text('/')
    const { name, node, modifier } = this.#namedParts()
    const segment = sequence(text('/'), capture(name, node))
    if (modifier === '?') return optional(segment)
    const several = sequence(text('/'), capture(name, sequence(node, many(sequence(text('/'), node)))))
    return modifier === '+' ? several : optional(several)
  }

  #stars(): PatternNode {
    // The first asterisk of a redirect or a rewrite means `(.*)`, which also matches slashes.
    if (this.#hasSegments && this.#source.indexOf('*') === this.#at - 1) {
      while (this.#next('*')) this.#at += 1
      return anything
    }
    const isAlone = this.#source[this.#at - 2] === '/' && /^(?:\/|$)/.test(this.#source.slice(this.#at))
    while (this.#next('*')) this.#at += 1
    return many(inSegment, isAlone ? 1 : 0)
  }

  #named(): PatternNode {
    const { name, node } = this.#namedParts()
    return capture(name, node)
  }

  #namedParts(): { readonly name: string; readonly node: PatternNode; readonly modifier: string } {
    const [whole = '', name = ''] = /^:(\w+)/.exec(this.#source.slice(this.#at)) ?? []
    this.#at += whole.length
    this.names.add(name)
    const node = this.#next('(') ? this.#expression() : many(inSegment, 1)
    const [modifier = ''] = /^[?*+]/.exec(this.#source.slice(this.#at)) ?? []
    this.#at += modifier.length
    return { name, node, modifier }
  }

  /** `(...)` of path-to-regexp. */
  #expression(): PatternNode {
    const end = this.#source.indexOf(')', this.#at)
    const expression = this.#source.slice(this.#at + 1, Math.max(end, this.#at + 1))
    const known = knownExpressions.get(expression)
    const isOfWords = /^[\w.-]+(?:\|[\w.-]+)*$/.test(expression) && !expression.includes('.')
    if (end < 0 || (known === undefined && !isOfWords)) {
      return this.#fail(
        `the regular expression ${JSON.stringify(expression)} is not supported: use words, as in (a|b), or a glob`,
      )
    }
    this.#at = end + 1
    return known ?? choice(...expression.split('|').map(text))
  }

  #extendedGroup(kind: string, depth: number): PatternNode {
    if (kind === '!') return this.#fail('a negated group !(...) is not supported')
    this.#at += 2
    const node = this.#alternatives('|', ')', depth)
    if (kind === '?') return optional(node)
    return kind === '@' ? node : many(node, kind === '+' ? 1 : 0)
  }

  #braces(depth: number): PatternNode {
    const close = this.#source.indexOf('}', this.#at)
    if (/^-?\w+\.\.-?\w+/.test(this.#source.slice(this.#at, close)))
      return this.#fail('a range in braces is not supported')
    return this.#alternatives(',', '}', depth)
  }

  #alternatives(separator: string, close: string, depth: number): PatternNode {
    const nodes: PatternNode[] = []
    for (;;) {
      nodes.push(this.#sequence(separator + close, depth + 1))
      const found = this.#source[this.#at]
      if (found === undefined) return this.#fail(`expected ${JSON.stringify(close)}, found the end of the pattern`)
      this.#at += 1
      if (found === close) return choice(...nodes)
    }
  }

  #class(): PatternNode {
    const close = this.#source.indexOf(']', this.#at + 1)
    if (close < 0) return this.#fail('expected "]", found the end of the pattern')
    const content = this.#source.slice(this.#at, close)
    if (content.startsWith('[:')) return this.#fail('named classes such as [[:alpha:]] are not supported')
    this.#at = close + 1
    const isNegated = /^[!^]/.test(content)
    const ranges = [...content.slice(isNegated ? 1 : 0).matchAll(/(.)-(.)|(.)/gsu)].map(([, from, to, one = '']) => {
      return { from: (from ?? one).charCodeAt(0), to: (to ?? one).charCodeAt(0) }
    })
    const isIn = (codeUnit: number): boolean => ranges.some(({ from, to }) => codeUnit >= from && codeUnit <= to)
    // If case is ignored, the path is in lower case but the class is as written.
    const isFound = (codeUnit: number): boolean => isIn(codeUnit) || (this.#hasSegments && isIn(upperCase(codeUnit)))
    return character((codeUnit) => codeUnit !== 0x2f && isFound(codeUnit) !== isNegated)
  }
}

function upperCase(codeUnit: number): number {
  return codeUnit >= 0x61 && codeUnit <= 0x7a ? codeUnit - 0x20 : codeUnit
}

function isDigit(codeUnit: number): boolean {
  return codeUnit >= 0x30 && codeUnit <= 0x39
}

function isWord(codeUnit: number): boolean {
  return /\w/.test(String.fromCharCode(codeUnit))
}
