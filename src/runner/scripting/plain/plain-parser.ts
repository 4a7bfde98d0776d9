/**
 * Parses a plain script into a function that runs it.
 *
 * Rules: accepts a subset of the language's grammar, parsed exactly: declarations with `const` and `let`, `if`,
 * expressions without assignment, functions without parameters as arguments. There are no loops, and no function of the
 * script is called twice, so a plain script terminates, and a declaration has one value. A name must be declared before
 * it is used. Anything else makes the script not plain. ECMA-262 sections 12.10, 13 and 14.
 */
import { type PlainToken, plainTokens } from './plain-tokens.ts'
import {
  binaryOperators,
  called,
  type Data,
  Declined,
  dataOf,
  memberOf,
  PlainFunction,
  type PlainValue,
  textOf,
} from './plain-values.ts'
import { type PlainWorld, plainNames } from './plain-world.ts'

type Value = PlainValue<PlainWorld>
type Step = (world: PlainWorld) => void
type Expression = (world: PlainWorld) => Value

/** The maximum depth of nested brackets; the parser is recursive. */
const MAX_DEPTH = 50

/**
 * ECMA-262 section 12.7.2, and words with a meaning at the start of a statement or an expression; then the names that
 * the engine's program defines around every script.
 */
const reservedWords: ReadonlySet<string> = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if import in instanceof new null return super switch this throw true try typeof var void while with yield ' +
    'let static async of eval arguments implements interface package private protected public ' +
    '$httpcliCompare $httpcliImports'
  ).split(' '),
)

const literals: Readonly<Record<string, Data>> = { true: true, false: false, null: null }

interface Scope {
  /** The index at which the value of each name is stored. */
  readonly places: Map<string, number>
  /** Names that were used in this scope, or in a scope inside it. */
  readonly used: Set<string>
}

/** The script as a step; undefined if it is not plain. */
export function parsePlainScript(code: string): Step | undefined {
  const tokens = plainTokens(code)
  if (tokens === undefined) return undefined
  try {
    return new Parser(tokens).script()
  } catch (error) {
    if (error instanceof Declined) return undefined
    throw error
  }
}

class Parser {
  readonly #tokens: readonly PlainToken[]
  readonly #scopes: Scope[]
  #at = 0
  #depth: number
  #placeCount = 0

  constructor(tokens: readonly PlainToken[], scopes: readonly Scope[] = [], depth: number = 0) {
    this.#tokens = tokens
    this.#scopes = [...scopes]
    this.#depth = depth
  }

  script(): Step {
    return this.#scoped(() => {
      const steps: Step[] = []
      while (this.#at < this.#tokens.length) steps.push(this.#statement())
      return inOrder(steps)
    })
  }

  // Statements.

  #statement(): Step {
    if (this.#takes('sign', ';')) return () => undefined
    if (this.#takes('name', 'if')) return this.#if()
    if (this.#takes('name', 'const') || this.#takes('name', 'let')) return this.#declaration()
    if (this.#isAt('sign', '{')) throw new Declined('a block')
    const expression = this.#expression()
    this.#endStatement()
    return expression
  }

  #declaration(): Step {
    const name = this.#name()
    this.#expect('=')
    const expression = this.#expression()
    this.#endStatement()
    const place = this.#declare(name)
    return (world) => {
      world.locals[place] = expression(world)
    }
  }

  #if(): Step {
    this.#expect('(')
    const condition = this.#expression()
    this.#expect(')')
    const then = this.#block()
    const otherwise = this.#takes('name', 'else') ? this.#else() : undefined
    return (world) => {
      if (dataOf(condition(world))) then(world)
      else otherwise?.(world)
    }
  }

  #else(): Step {
    return this.#takes('name', 'if') ? this.#if() : this.#block()
  }

  #block(): Step {
    this.#expect('{')
    return this.#scoped(() => {
      const steps: Step[] = []
      while (!this.#takes('sign', '}')) steps.push(this.#statement())
      return inOrder(steps)
    })
  }

  /** ECMA-262 section 12.10: the end of a line ends a statement if the expression cannot continue after it. */
  #endStatement(): void {
    if (this.#takes('sign', ';') || this.#at === this.#tokens.length || this.#isAt('sign', '}')) return
    const next = this.#tokens[this.#at] as PlainToken
    const mayBegin = next.kind === 'name' && next.text !== 'in' && next.text !== 'instanceof'
    if (!next.isFirstOnLine || !mayBegin) throw new Declined('the end of a statement')
  }

  // Names.

  #scoped<Read>(read: () => Read): Read {
    if (++this.#depth > MAX_DEPTH) throw new Declined('depth')
    this.#scopes.push({ places: new Map(), used: new Set() })
    const result = read()
    const { used } = this.#scopes.pop() as Scope
    for (const name of used) this.#scopes.at(-1)?.used.add(name)
    this.#depth--
    return result
  }

  #declare(name: string): number {
    const { places, used } = this.#scopes.at(-1) as Scope
    if (used.has(name) || Object.hasOwn(plainNames, name)) throw new Declined('a name with several meanings')
    used.add(name)
    const place = this.#placeCount++
    places.set(name, place)
    return place
  }

  #variable(name: string): Expression {
    this.#scopes.at(-1)?.used.add(name)
    const place = this.#scopes.findLast(({ places }) => places.has(name))?.places.get(name)
    if (place !== undefined) return (world) => world.locals[place]
    if (!Object.hasOwn(plainNames, name)) throw new Declined('an unknown name')
    const value = plainNames[name]
    return () => value
  }

  // Expressions, from the weakest operator to the strongest.

  #expression(): Expression {
    return this.#nested(() => {
      const condition = this.#choice()
      if (!this.#takes('sign', '?')) return condition
      const then = this.#expression()
      this.#expect(':')
      const otherwise = this.#expression()
      return (world) => (dataOf(condition(world)) ? then(world) : otherwise(world))
    })
  }

  #choice(): Expression {
    let left = this.#conjunction()
    while (this.#takes('sign', '||')) {
      const [before, right] = [left, this.#conjunction()]
      left = (world) => dataOf(before(world)) || right(world)
    }
    return left
  }

  #conjunction(): Expression {
    let left = this.#operation(0)
    while (this.#takes('sign', '&&')) {
      const [before, right] = [left, this.#operation(0)]
      left = (world) => dataOf(before(world)) && right(world)
    }
    return left
  }

  #operation(above: number): Expression {
    let left = this.#unary()
    for (;;) {
      const token = this.#tokens[this.#at]
      const operator =
        token?.kind === 'sign' && Object.hasOwn(binaryOperators, token.text) ? binaryOperators[token.text] : undefined
      if (operator === undefined || operator.precedence <= above) return left
      this.#at++
      const [before, right] = [left, this.#operation(operator.precedence)]
      left = (world) => operator.apply(dataOf(before(world)), dataOf(right(world)))
    }
  }

  #unary(): Expression {
    if (this.#takes('sign', '!')) {
      const operand = this.#nested(() => this.#unary())
      return (world) => !dataOf(operand(world))
    }
    if (this.#takes('sign', '-')) {
      const operand = this.#nested(() => this.#unary())
      return (world) => {
        const value = operand(world)
        if (typeof value !== 'number') throw new Declined('the opposite of other types')
        return -value
      }
    }
    if (this.#takes('name', 'typeof')) {
      const operand = this.#nested(() => this.#unary())
      return (world) => typeof dataOf(operand(world))
    }
    return this.#chain()
  }

  #nested(read: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH) throw new Declined('depth')
    const expression = read()
    this.#depth--
    return expression
  }

  /** A value, with member accesses and method calls on it. */
  #chain(): Expression {
    let object = this.#primary()
    for (;;) {
      const before = object
      if (this.#takes('sign', '[')) {
        const key = this.#expression()
        this.#expect(']')
        object = (world) => memberOf(before(world), dataOf(key(world)), world)
      } else if (this.#takes('sign', '.')) {
        const name = this.#memberName()
        if (this.#takes('sign', '(')) {
          const args = this.#list(')')
          object = (world) => {
            const value = before(world)
            return called(
              value,
              name,
              args.map((each) => each(world)),
              world,
            )
          }
        } else object = (world) => memberOf(before(world), name, world)
      } else if (this.#isAt('sign', '(') || this.#tokens[this.#at]?.kind === 'template') {
        throw new Declined('a call of a value')
      } else return object
    }
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new Declined('the end')
    const { kind, text } = token
    if (kind === 'number') return constant(Number(text))
    if (kind === 'text') return constant(text)
    if (kind === 'template') return this.#template(text)
    if (kind === 'name') {
      if (Object.hasOwn(literals, text)) return constant(literals[text])
      if (reservedWords.has(text)) throw new Declined('a word of the language')
      return this.#variable(text)
    }
    if (text === '[') {
      const elements = this.#list(']')
      return (world) => elements.map((each) => dataOf(each(world)) as never)
    }
    if (text !== '(') throw new Declined('a sign')
    const inner = this.#expression()
    this.#expect(')')
    return inner
  }

  /**
   * The values of a call or an array, after the opening bracket. A trailing comma is allowed, an empty element is not.
   */
  #list(end: ')' | ']'): readonly Expression[] {
    const list: Expression[] = []
    while (!this.#takes('sign', end)) {
      list.push((end === ')' ? this.#function() : undefined) ?? this.#expression())
      if (!this.#isAt('sign', end)) this.#expect(',')
    }
    return list
  }

  /** A function without parameters, if one begins here. */
  #function(): Expression | undefined {
    if (this.#takes('name', 'function')) {
      this.#expect('(')
      this.#expect(')')
      return constant(new PlainFunction(this.#block()))
    }
    if (!this.#isAt('sign', '(') || !this.#isAt('sign', ')', 1)) return undefined
    this.#at += 2
    if (this.#tokens[this.#at]?.isFirstOnLine) throw new Declined('a line end before =>')
    this.#expect('=>')
    return constant(new PlainFunction(this.#isAt('sign', '{') ? this.#block() : this.#scoped(() => this.#expression())))
  }

  #template(text: string): Expression {
    const pieces = text.split('${')
    const parts = pieces.map((piece, index): Expression => {
      if (index === 0) return constant(piece)
      const end = piece.indexOf('}')
      const code = piece.slice(0, end)
      const tokens = plainTokens(code)
      // The bracket may be in a comment or a string.
      if (end === -1 || tokens === undefined || code.includes('//')) throw new Declined('a template')
      const value = this.#embedded(tokens)
      const rest = piece.slice(end + 1)
      return (world) => textOf(dataOf(value(world))) + rest
    })
    return (world) => parts.map((part) => part(world)).join('')
  }

  /** An expression in a template, which contains no declaration. */
  #embedded(tokens: readonly PlainToken[]): Expression {
    const inner = new Parser(tokens, this.#scopes, this.#depth)
    const value = inner.#expression()
    if (inner.#at < tokens.length) throw new Declined('a template')
    return value
  }

  // Tokens.

  #isAt(kind: PlainToken['kind'], text: string, ahead: number = 0): boolean {
    const token = this.#tokens[this.#at + ahead]
    return token?.kind === kind && token.text === text
  }

  #takes(kind: PlainToken['kind'], text: string): boolean {
    const isAt = this.#isAt(kind, text)
    if (isAt) this.#at++
    return isAt
  }

  #expect(sign: string): void {
    if (!this.#takes('sign', sign)) throw new Declined(`no ${sign}`)
  }

  #memberName(): string {
    const token = this.#tokens[this.#at++]
    if (token?.kind !== 'name') throw new Declined('no name')
    return token.text
  }

  #name(): string {
    const name = this.#memberName()
    if (reservedWords.has(name)) throw new Declined('a word of the language')
    return name
  }
}

function constant(value: Value): Expression {
  return () => value
}

function inOrder(steps: readonly Step[]): Step {
  return (world) => {
    for (const step of steps) step(world)
  }
}
