/**
 * The `import` declarations of a script.
 *
 * Rules: finds declarations at the top level, in all forms of ECMA-262 § 16.2.2. A declaration that cannot be parsed is
 * left unchanged: the engine reports its errors.
 */
import { nesting, type ScriptToken } from './script-tokens.ts'

export interface ImportDeclaration {
  /** As written, between the quotes. */
  readonly specifier: string
  readonly offset: number
  /** Offset after the last token. */
  readonly end: number
  /** Local name to exported name; `*` is the whole module. */
  readonly names: Readonly<Record<string, string>>
}

export function importDeclarations(tokens: readonly ScriptToken[]): readonly ImportDeclaration[] {
  const found: ImportDeclaration[] = []
  let depth = 0
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as ScriptToken
    depth += nesting(token)
    if (depth !== 0 || token.text !== 'import' || token.kind !== 'name' || tokens[index - 1]?.text === '.') continue
    const reader = new DeclarationReader(tokens, index)
    const declaration = reader.read()
    if (declaration === undefined) continue
    found.push(declaration)
    index = reader.index - 1
  }
  return found
}

class DeclarationReader {
  readonly #tokens: readonly ScriptToken[]
  readonly #names: Record<string, string> = {}
  readonly #first: ScriptToken
  /** The offset of the next token. */
  index: number

  constructor(tokens: readonly ScriptToken[], index: number) {
    this.#tokens = tokens
    this.#first = tokens[index] as ScriptToken
    this.index = index + 1
  }

  read(): ImportDeclaration | undefined {
    if (this.#next()?.kind !== 'text') {
      if (!this.#clause() || !this.#takes('from')) return undefined
    }
    const source = this.#next()
    if (source?.kind !== 'text') return undefined
    this.index++
    if (this.#takes('with') || this.#takes('assert')) this.#skipAttributes()
    this.#takes(';')
    const last = this.#tokens[this.index - 1] as ScriptToken
    const specifier = unquoted(source.text)
    return { specifier, offset: this.#first.offset, end: last.offset + last.text.length, names: this.#names }
  }

  #next(): ScriptToken | undefined {
    return this.#tokens[this.index]
  }

  #takes(text: string): boolean {
    if (this.#next()?.text !== text) return false
    this.index++
    return true
  }

  /** `a`, `* as a`, `{ a, b as c }`, and `a` before either of the others. */
  #clause(): boolean {
    if (this.#next()?.kind === 'name') {
      this.#names[this.#word()] = 'default'
      if (!this.#takes(',')) return true
    }
    if (this.#takes('*')) {
      if (!this.#takes('as')) return false
      this.#names[this.#word()] = '*'
      return true
    }
    return this.#takes('{') && this.#list()
  }

  #list(): boolean {
    while (!this.#takes('}')) {
      const exported = this.#word()
      const local = this.#takes('as') ? this.#word() : exported
      if (local === '' || exported === '') return false
      this.#names[local] = exported
      if (!this.#takes(',') && this.#next()?.text !== '}') return false
    }
    return true
  }

  /** A name, or a string literal in its place; an empty text for anything else. */
  #word(): string {
    const token = this.#next()
    if (token?.kind !== 'name' && token?.kind !== 'text') return ''
    this.index++
    return token.kind === 'text' ? unquoted(token.text) : token.text
  }

  #skipAttributes(): void {
    while (this.#next() !== undefined && !this.#takes('}')) this.index++
  }
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/g, '$1')
}
