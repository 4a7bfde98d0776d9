/** What the error for an unknown variable says about a name that no variable has. */
import { describe, expect, it } from 'vitest'
import { HttpcliError } from '../../../src/message/index.ts'
import { type RunSettings, runText } from '../running.ts'

async function errorFor(expression: string): Promise<string> {
  const { errors } = await runText(`@a-b = 1\nGET http://127.0.0.1:9/{{${expression}}}\n`)
  return errors.join('\n')
}

async function lastError(text: string, settings: RunSettings = {}): Promise<HttpcliError | undefined> {
  const { events } = await runText(text, settings)
  const error = events.flatMap((event) => (event.type === 'error' ? [event.error] : [])).at(-1)
  return error instanceof HttpcliError ? error : undefined
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
    'response.parsedBody.text.match(/token=([a-z]+)/)[1]',
    'f(',
  ])('that is JavaScript is reported as such: %s', async (expression) => {
    expect(await errorFor(expression)).toContain(
      ' is JavaScript, which httpYac runs between braces, and not a variable',
    )
  })

  it.each([
    ['response.parsedBody.cart_id', '$.cart_id'],
    ['response.parsedBody[0].id', '$[0].id'],
    ['response.body.id', '$.id'],
    ['response.headers.location', '$.path'],
  ])('that is a response of httpYac has a hint at captures: %s', async (expression, path) => {
    const error = await lastError(`GET http://127.0.0.1:9/{{${expression}}}\n`)
    expect(error?.message).toContain(' is a value of the response, which httpYac reads after the request')
    expect(error?.hint).toBe(`Write "# @capture name = ${path}" above the request line.`)
  })

  it.each([
    ['a.response.cookies.sid.value', 'Write "# @capture name = cookie sid" above the request a.'],
    ["a.response.headers['X-Id']", 'Write {{a.response.headers.X-Id}}.'],
    ['a.response.status', 'Write {{a.response.body.$.path}} or'],
    ['a.token', 'Write {{a.response.body.$.token}}.'],
    ['a.response.parsedBody.token', 'Write {{a.response.body.$.token}}.'],
    ['$date', 'Write {{$datetime "YYYY-MM-DD"}}.'],
    ['$something', 'Dynamic variables are '],
  ])('has a hint at what to write: %s', async (expression, hint) => {
    const error = await lastError(`# @name a\nGET http://127.0.0.1:9/\n\n###\nGET http://{{${expression}}}\n`)
    expect([error?.code, error?.hint]).toEqual(['unknown-variable', expect.stringContaining(hint)])
  })

  it.each(['host', 'authToken', 'hots'])('that other environments have names them: %s', async (name) => {
    const environmentFile = JSON.stringify({ dev: { [name]: 'a' }, prod: { [name]: 'b' }, test: {} })
    const text = `@hosts = near\nGET http://{{${name}}}/\n`
    const error = await lastError(text, { files: { 'http-client.env.json': environmentFile } })
    expect(error?.hint).toBe('Choose an environment that has it with -e: dev, prod')
  })

  it('that Visual Studio would fetch is not sent as the description of its place', async () => {
    const key = { provider: 'AspnetUserSecrets', secretName: 'config:ApiKey' }
    const files = { 'http-client.env.json': JSON.stringify({ $shared: { key } }) }
    const error = await lastError('GET http://127.0.0.1:9/\nX-Key: {{key}}\n', { files })
    expect([error?.code, error?.message]).toEqual([
      'unknown-variable',
      'the variable "key" is a secret of AspnetUserSecrets, which only Visual Studio can read',
    ])
    const own = JSON.stringify({ $shared: { key: 'k' } })
    const run = await runText('GET http://{{key}}.invalid:1x/\n', {
      files: { ...files, 'http-client.private.env.json': own },
    })
    expect(run.errors.join()).not.toContain('AspnetUserSecrets')
  })

  it.each(['a-c', 'user+', '<your token>', 'name?', '3', 'a/b', 'a=b', '*', 'the name', '+7', 'a.b[0]'])(
    'that is only a name is not defined: %s',
    async (expression) => {
      expect(await errorFor(expression)).toContain(`the variable ${JSON.stringify(expression)} is not defined`)
    },
  )
})
