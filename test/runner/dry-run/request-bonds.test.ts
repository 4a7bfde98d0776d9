/** Which requests of a file belong together: everything that one request may leave for another one. */
import { describe, expect, it } from 'vitest'
import { findBond } from '../../../src/runner/dry-run/request-bonds.ts'
import { readHttpFile } from '../../../src/runner/index.ts'

const noJar = '# @no-cookie-jar\n'
const bondOf = (text: string, values: readonly string[] = []) =>
  findBond(readHttpFile(Buffer.from(text), 'a.http', '/'), values)

/** Two requests without anything in common; then the first one with a change. */
const pair = (before: string, after: string = ''): string =>
  `### one\n${before}${noJar}GET http://h/1\n${after}\n### two\n${noJar}GET http://h/2\n`

describe('connected requests', () => {
  it.each([
    ['a capture', pair('# @capture id = $.id\n'), 2, 'sets the variable id'],
    ['a script before a request', pair('< {% request.variables.set("a", 1) %}\n'), 2, 'has a script'],
    ['a handler that sets a variable', pair('', '\n> {% client.global.set("a", 1) %}\n'), 5, 'has a script'],
    ['a handler that is not plain', pair('', '\n> {% for (;;) break %}\n'), 5, 'has a script'],
    [
      'a handler that sets in a template',
      pair('', '\n> {% client.log(`$' + '{client.global.set("a", 1)}`) %}\n'),
      5,
      'has a',
    ],
    ['a handler in a file', pair('', '\n> handler.js\n'), 5, 'has a script that may set variables'],
    ['a script of all requests', `={% function f() {} %}\n${pair('')}`, 1, 'has a script'],
    ['a value that is made once', pair('@id = {{$uuid}}\n'), 2, 'gives @id a value that all requests share'],
    ['an import', `import b.http\n${pair('')}`, 1, 'has import, which names other requests'],
    ['a call', pair('run #two\n'), 2, 'has run, which names other requests'],
    ['a reference', `${pair('')}X: {{one.response.headers.X}}\n`, 8, 'refers to another request'],
    ['a saved response', pair('', '\n>> out.json\n'), 5, 'saves a file'],
    ['a body with variables in a file', pair('', '\n<@ body.json\n'), 5, 'reads a file that may refer'],
    ['an answered challenge', pair('', 'Authorization: Digest ada lovelace\n'), 4, 'uses a challenge'],
    ['cookies', '### one\nGET http://h/1\n\n### two\nGET http://h/2\n', 5, 'may send a cookie'],
  ])('have %s', (_name, text, line, reason) => {
    const bond = bondOf(text)
    expect(bond?.line).toBe(line)
    expect(bond?.reason).toContain(reason)
  })

  it('may be connected by an environment value', () => {
    expect(bondOf(pair(''), ['{"id": "{{one.response.body.$.id}}"}'])).toMatchObject({ line: 1 })
    expect(bondOf(pair(''), ['{"id": "{{host}}"}'])).toBeUndefined()
  })

  it('are identified by the first line that connects them', () => {
    expect(bondOf(pair('# @capture a = $.a\n', '\n> {% client.global.set("b", 1) %}\n'))?.line).toBe(2)
  })
})

describe('independent requests', () => {
  it.each([
    ['have nothing in common', pair('')],
    ['have assertions', pair('# @assert status == 200\n# @tag smoke\n')],
    ['have variables that are written', pair('@host = http://h\n@port = {{$env.PORT}}\n')],
    ['have values that are made at each use', pair('', 'X-Id: {{$uuid}}\n')],
    [
      'have handlers that test and log',
      pair(
        '',
        `
> {%
  client.test('is json', () => client.assert(response.contentType.charset === 'utf-8', 'set and clear'))
  client.log(response.body.offset)
%}
`,
      ),
    ],
    ['are one that uses the cookie jar', '### one\nGET http://h/1\n\n### two\n# @no-cookie-jar\nGET http://h/2\n'],
    ['is a single one', '# @capture id = $.id\nGET http://h/1\n'],
  ])('%s', (_name, text) => {
    expect(bondOf(text)).toBeUndefined()
  })
})
