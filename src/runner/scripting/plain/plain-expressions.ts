/**
 * Parses the expressions of a plain script.
 *
 * Rules: expressions without assignment, calls of listed functions and methods, functions only as arguments. ECMA-262
 * section 13.
 */
import { constant, type Expression, PlainCode, type Step, type Value } from './plain-code.ts'
import { called } from './plain-methods.ts'
import { type PlainToken, plainTokens } from './plain-tokens.ts'
import { binaryOperators, type Data, Declined, dataOf, memberOf, PlainFunction, textOf } from './plain-values.ts'
import { type PlainWorld, plainFunction } from './plain-world.ts'

/** A member access or a call, on the value before it. */
interface Link {
  /** Whether the rest of the chain is undefined if the value is null or undefined. */
  readonly isOptional: boolean
  readonly apply: (value: Value, world: PlainWorld) => Value
}

export abstract class PlainExpressions extends PlainCode {
  /** Statements in curly brackets. */
  protected abstract block(): Step

  /** The parser of code inside this code. */
  protected abstract inside(tokens: readonly PlainToken[]): PlainExpressions

  // From the weakest operator to the strongest.

  protected expression(): Expression {
    return this.nested(() => {
      const condition = this.#choice()
      if (!this.takes('sign', '?')) return condition
      const then = this.expression()
      this.expect(':')
      const otherwise = this.expression()
      return (world) => (dataOf(condition(world)) ? then(world) : otherwise(world))
    })
  }

  /** ECMA-262 section 13.13: `??` cannot be mixed with `||` and `&&`. */
  #choice(): Expression {
    let left = this.#operation(0)
    if (!this.isAt('sign', '??')) return this.#alternatives(left)
    while (this.takes('sign', '??')) {
      const [before, right] = [left, this.#operation(0)]
      left = (world) => dataOf(before(world)) ?? right(world)
    }
    if (this.isAt('sign', '||') || this.isAt('sign', '&&')) throw new Declined('mixed operators')
    return left
  }

  #alternatives(first: Expression): Expression {
    let left = this.#conjunction(first)
    while (this.takes('sign', '||')) {
      const [before, right] = [left, this.#conjunction(this.#operation(0))]
      left = (world) => dataOf(before(world)) || right(world)
    }
    return left
  }

  #conjunction(first: Expression): Expression {
    let left = first
    while (this.takes('sign', '&&')) {
      const [before, right] = [left, this.#operation(0)]
      left = (world) => dataOf(before(world)) && right(world)
    }
    return left
  }

  #operation(above: number): Expression {
    let left = this.#unary()
    for (;;) {
      const token = this.tokens[this.at]
      const operator =
        token?.kind === 'sign' && Object.hasOwn(binaryOperators, token.text) ? binaryOperators[token.text] : undefined
      if (operator === undefined || operator.precedence <= above) return left
      this.at++
      const [before, right] = [left, this.#operation(operator.precedence)]
      left = (world) => operator.apply(dataOf(before(world)), dataOf(right(world)))
    }
  }

  #unary(): Expression {
    if (this.takes('sign', '!')) {
      const operand = this.nested(() => this.#unary())
      return (world) => !dataOf(operand(world))
    }
    if (this.takes('sign', '-')) {
      const operand = this.nested(() => this.#unary())
      return (world) => {
        const value = operand(world)
        if (typeof value !== 'number') throw new Declined('the opposite of other types')
        return -value
      }
    }
    if (this.takes('name', 'typeof')) {
      const operand = this.nested(() => this.#unary())
      return (world) => typeof dataOf(operand(world))
    }
    return this.#chain()
  }

  /** A value, with member accesses and method calls on it. */
  #chain(): Expression {
    const first = this.#primary()
    const links: Link[] = []
    for (let link = this.#link(); link !== undefined; link = this.#link()) links.push(link)
    if (links.length === 0) return first
    return (world) => {
      let value = first(world)
      for (const { isOptional, apply } of links) {
        if (isOptional && (value === null || value === undefined)) return undefined
        value = apply(value, world)
      }
      return value
    }
  }

  #link(): Link | undefined {
    const isOptional = this.takes('sign', '?.')
    if (this.takes('sign', '[')) {
      const key = this.expression()
      this.expect(']')
      return { isOptional, apply: (value, world) => memberOf(value, dataOf(key(world)), world) }
    }
    if (isOptional || this.takes('sign', '.')) {
      const name = this.memberName()
      if (!this.takes('sign', '(')) return { isOptional, apply: (value, world) => memberOf(value, name, world) }
      const args = this.#list(')')
      return { isOptional, apply: (value, world) => called(value, name, valuesOf(args, world), world) }
    }
    if (this.isAt('sign', '(') || this.tokens[this.at]?.kind === 'template') throw new Declined('a call of a value')
    return undefined
  }

  #primary(): Expression {
    const token = this.tokens[this.at++]
    if (token === undefined) throw new Declined('the end')
    const { kind, text } = token
    if (kind === 'number') return constant(Number(text))
    if (kind === 'text') return constant(text)
    if (kind === 'template') return this.#template(text)
    if (kind === 'name') return this.#named(text)
    if (text === '[') {
      const elements = this.#list(']')
      return (world) => elements.map((each) => dataOf(each(world)) as never)
    }
    if (text !== '(') throw new Declined('a sign')
    const inner = this.expression()
    this.expect(')')
    return inner
  }

  /** The value of a name, or a call such as `Number(x)`. */
  #named(name: string): Expression {
    const value = this.value(name)
    const call = plainFunction(name)
    if (call === undefined || !this.takes('sign', '(')) return value
    const args = this.#list(')')
    return (world) => call(world, valuesOf(args, world))
  }

  /**
   * The values of a call or an array, after the opening bracket. A trailing comma is allowed, an empty element is not.
   */
  #list(end: ')' | ']'): readonly Expression[] {
    const list: Expression[] = []
    while (!this.takes('sign', end)) {
      list.push((end === ')' ? this.#function() : undefined) ?? this.expression())
      if (!this.isAt('sign', end)) this.expect(',')
    }
    return list
  }

  /** A function, if one begins here. */
  #function(): Expression | undefined {
    const start = this.at
    const isArrow = !this.takes('name', 'function')
    const names = isArrow ? this.#arrowParameters() : this.#parameters()
    if (names === undefined) return undefined
    if (isArrow && this.tokens[this.at]?.isFirstOnLine) throw new Declined('a line end before =>')
    if (isArrow) this.expect('=>')
    return this.scoped(true, () => {
      const places = names.map((name) => this.declare(name))
      const run = isArrow && !this.isAt('sign', '{') ? this.expression() : this.#body()
      const size = this.at - start
      const call = (world: PlainWorld, args: readonly Data[]): Value => world.call(size, places, args, run)
      return constant(new PlainFunction(places.length, call))
    })
  }

  #body(): Expression {
    const statements = this.block()
    return (world) => (statements(world) ? world.returned : undefined)
  }

  /** `name =>` and `(name, name) =>`, up to the arrow. */
  #arrowParameters(): readonly string[] | undefined {
    if (this.tokens[this.at]?.kind === 'name' && this.isAt('sign', '=>', 1)) return [this.name()]
    if (!this.isAt('sign', '(')) return undefined
    let end = 1
    while (this.at + end < this.tokens.length && !this.isAt('sign', ')', end)) end++
    return this.isAt('sign', '=>', end + 1) ? this.#parameters() : undefined
  }

  #parameters(): readonly string[] {
    const names: string[] = []
    this.expect('(')
    while (!this.takes('sign', ')')) {
      if (names.length > 0) this.expect(',')
      names.push(this.name())
    }
    return names
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

  /** An expression in a template. */
  #embedded(tokens: readonly PlainToken[]): Expression {
    const inner = this.inside(tokens)
    const value = inner.expression()
    if (inner.at < tokens.length) throw new Declined('a template')
    return value
  }
}

function valuesOf(expressions: readonly Expression[], world: PlainWorld): readonly Value[] {
  return expressions.map((each) => each(world))
}
