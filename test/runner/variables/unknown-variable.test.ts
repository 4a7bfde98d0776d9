/** What the error for an unknown variable says about a name that no variable has. */
import { describe, expect, it } from 'vitest'
import { runText } from '../running.ts'

async function errorFor(expression: string): Promise<string> {
  const { errors } = await runText(`@a-b = 1\nGET http://127.0.0.1:9/{{${expression}}}\n`)
  return errors.join('\n')
}

describe('an unknown variable', () => {
  it.each([
    '1+1',
    ' 1 + 1 ',
    'a+b',
    'n*2',
    'page - 1',
    'total / 2',
    'user || "none"',
    "process.env.X ?? 'a'",
    'x && y',
    'a?b:c',
    'isDev ? 1 : 2',
    'a === b',
    'Date.now()',
    'f(g(1))',
    '`x`',
    'i++',
  ])('that is JavaScript is reported as such: %s', async (expression) => {
    expect(await errorFor(expression)).toContain(
      ' is JavaScript, which httpYac runs between braces, and not a variable',
    )
  })

  it.each(['a-c', 'user+', '<your token>', 'name?', '3', 'a/b', 'a=b', '*', 'the name', '+7', 'a.b[0]'])(
    'that is only a name is not defined: %s',
    async (expression) => {
      expect(await errorFor(expression)).toContain(`the variable ${JSON.stringify(expression)} is not defined`)
    },
  )
})
