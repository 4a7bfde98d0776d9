/**
 * Parses a plain script into a function that runs it.
 *
 * Rules: accepts a subset of the language's grammar, parsed exactly: declarations with a value, `if`, `for`-`of` over a
 * list, `return`, and expressions. No function of the script can call itself, and loops are over lists, so a plain
 * script terminates. Anything else makes the script not plain. ECMA-262 sections 12.10 and 14.
 */
import type { Expression, Step } from './plain-code.ts'
import { PlainExpressions } from './plain-expressions.ts'
import { type PlainToken, plainTokens } from './plain-tokens.ts'
import { Declined, dataOf } from './plain-values.ts'
import type { PlainWorld } from './plain-world.ts'

/** The script as a step; undefined if it is not plain. */
export function parsePlainScript(code: string): Step | undefined {
  const tokens = plainTokens(code)
  if (tokens === undefined) return undefined
  try {
    return new PlainParser(tokens).script()
  } catch (error) {
    if (error instanceof Declined) return undefined
    throw error
  }
}

class PlainParser extends PlainExpressions {
  script(): Step {
    return this.scoped(true, () => {
      const steps: Step[] = []
      while (this.at < this.tokens.length) steps.push(this.#statement())
      return inOrder(steps)
    })
  }

  protected override inside(tokens: readonly PlainToken[]): PlainParser {
    return new PlainParser(tokens, this)
  }

  protected override block(): Step {
    this.expect('{')
    const steps: Step[] = []
    while (!this.takes('sign', '}')) steps.push(this.#statement())
    return inOrder(steps)
  }

  #statement(): Step {
    if (this.takes('sign', ';')) return inOrder([])
    if (this.takes('name', 'if')) return this.#if()
    if (this.takes('name', 'for')) return this.#for()
    if (this.takes('name', 'return')) return this.#return()
    if (this.takes('name', 'const') || this.takes('name', 'let')) return this.#declaration()
    if (this.takes('name', 'var')) {
      // In a block, it would be declared in the function around it.
      if (this.scopes.at(-1)?.isFunction !== true) throw new Declined('var in a block')
      return this.#declaration()
    }
    if (this.isAt('sign', '{')) throw new Declined('a block')
    const expression = this.expression()
    this.#endStatement()
    return (world) => {
      expression(world)
      return false
    }
  }

  #declaration(): Step {
    const name = this.name()
    this.expect('=')
    const expression = this.expression()
    this.#endStatement()
    const place = this.declare(name)
    return (world) => {
      world.locals[place] = expression(world)
      return false
    }
  }

  #return(): Step {
    const next = this.tokens[this.at]
    const isEmpty = next === undefined || next.isFirstOnLine || next.text === ';' || next.text === '}'
    const value: Expression = isEmpty ? () => undefined : this.expression()
    this.#endStatement()
    return (world) => {
      world.setReturned(value(world))
      return true
    }
  }

  #if(): Step {
    this.expect('(')
    const condition = this.expression()
    this.expect(')')
    const then = this.#branch()
    const otherwise = this.takes('name', 'else') ? this.#branch() : inOrder([])
    return (world) => (dataOf(condition(world)) ? then(world) : otherwise(world))
  }

  #for(): Step {
    const start = this.at
    this.expect('(')
    if (!this.takes('name', 'const') && !this.takes('name', 'let')) throw new Declined('another loop')
    const name = this.name()
    if (!this.takes('name', 'of')) throw new Declined('another loop')
    return this.scoped(false, () => {
      // The name is already declared in the expression, but has no value yet.
      const values = this.expression()
      this.expect(')')
      const place = this.declare(name)
      const body = this.#branch()
      const size = this.at - start
      return (world) => world.forEach(values(world), size, place, body)
    })
  }

  /** What follows a condition or the head of a loop. */
  #branch(): Step {
    return this.scoped(false, () => {
      if (this.isAt('sign', '{')) return this.block()
      if (['const', 'let', 'var'].includes(this.tokens[this.at]?.text ?? '')) throw new Declined('a declaration alone')
      return this.#statement()
    })
  }

  /** ECMA-262 section 12.10: the end of a line ends a statement if the expression cannot continue after it. */
  #endStatement(): void {
    if (this.takes('sign', ';') || this.at === this.tokens.length || this.isAt('sign', '}')) return
    const next = this.tokens[this.at] as PlainToken
    const mayBegin = next.kind === 'name' && next.text !== 'in' && next.text !== 'instanceof'
    if (!next.isFirstOnLine || !mayBegin) throw new Declined('the end of a statement')
  }
}

function inOrder(steps: readonly Step[]): Step {
  return (world: PlainWorld) => steps.some((step) => step(world))
}
