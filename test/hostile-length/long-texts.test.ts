/** A text of 10 MB does not overflow the stack of a regular expression, which uses some of it for each repetition. */
import { describe, expect, it } from 'vitest'
import { convert } from '../../src/convert/conversion.ts'
import type { SourceFormat } from '../../src/convert/format.ts'
import { readGraphql } from '../../src/http-file/graphql-document.ts'
import { parseHttpFile } from '../../src/http-file/parser.ts'
import { plainAddress } from '../../src/http-file/plain-address.ts'
import { encodePath } from '../../src/http-file/url-encoding.ts'
import { withExactIntegers } from '../../src/runner/base/exact-integers.ts'
import { scriptTokens } from '../../src/runner/scripting/source/script-tokens.ts'
import { collectBrokenJson } from '../../src/secrets/secret-discovery.ts'
import { separatedCredentials } from '../../src/wire/credentials.ts'
import { withoutStackTraces } from '../helpers/stack-traces.ts'

withoutStackTraces()

const LENGTH = 10_000_000
const plain = 'a'.repeat(LENGTH)

/** Not ASCII: expressions with the flag u save a place for each of these characters. */
const chinese = '\u4e2d'.repeat(LENGTH)

const REQUEST = 'GET http://a/\n'
const asserted = (text: string) => () => parseHttpFile(`# @assert ${text}\n${REQUEST}`)
const converted =
  (text: string, from: SourceFormat, to = 'http') =>
  () =>
    convert({ path: from === 'bruno' ? 'a.bru' : 'a', text }, {
      hasDirectory: false,
      to,
      values: undefined,
      from,
    } as never)
const bruno = (name: string, body: string): string =>
  `meta {\n  name: x\n}\npost {\n  url: http://a/\n  body: json\n}\nheaders {\n  "${name}": 1\n}\nbody:json {\n  {"a": "${body}"}\n}\n`
const hurl = (assertion: string): string => `GET http://a/\nHTTP 200\n[Asserts]\n${assertion}\n`
const insomnia = (value: string): string =>
  JSON.stringify({
    _type: 'export',
    __export_format: 4,
    resources: [
      { _id: 'wrk_1', _type: 'workspace', name: 'w' },
      { _id: 'req_1', _type: 'request', parentId: 'wrk_1', method: 'GET', name: 'a', url: `http://a/?a=${value}` },
    ],
  })

const inQuotes: readonly (readonly [name: string, call: () => unknown])[] = [
  ['a value of an assertion', asserted(`body == "${plain}"`)],
  ['a name in an assertion', asserted(`header "${plain}" == 1`)],
  ['a filter of an assertion', asserted(`body replace "${plain}" "x" == 1`)],
  ['a text of GraphQL', () => readGraphql(`{ a(b: "${plain}") } query B { c }`)],
  ['a block of GraphQL', () => readGraphql(`{ a(b: """${plain}""") } query B { c }`)],
  ['a text of a script', () => expect(scriptTokens(`a = "${plain}"`)).toHaveLength(3)],
  ['a template of a script', () => expect(scriptTokens(`a = \`${plain}\``)).toHaveLength(3)],
  ['invalid JSON with secrets', () => collectBrokenJson(`{"a": "${plain}"`, { add: () => undefined } as never)],
  [
    'a script that sets a variable',
    converted(`< {%\nrequest.variables.set("a", "${plain}")\n%}\n${REQUEST}`, 'http', 'curl'),
  ],
  ['a body of Bruno', converted(bruno('a', plain), 'bruno')],
  ['a name of Bruno', converted(bruno(plain, 'a'), 'bruno')],
  ['a body of Hurl', converted(`POST http://a/\n{"a": "${plain}"}\n`, 'hurl')],
  ['a name of Hurl', converted(`GET http://a/\n"${plain}": 1\n`, 'hurl')],
  ['a query of Hurl', converted(hurl(`header "${plain}" == "x"`), 'hurl')],
  ['a value of Hurl', converted(hurl(`body == "${plain}"`), 'hurl')],
  ['a filter of Hurl', converted(hurl(`body replace "${plain}" "x" == "x"`), 'hurl')],
  ['a tag of Insomnia', converted(insomnia(`{% base64 'encode', 'normal', '${plain}' %}`), 'insomnia')],
  ['a command in a command', converted(`curl -d "$(echo "${plain}")" http://a/\n`, 'curl')],
  ['a name of a file for curl', converted(`curl -F 'a=b;filename="${plain}"' http://a/\n`, 'curl')],
]

const others: readonly (readonly [name: string, call: () => unknown])[] = [
  ['a variable of an assertion', asserted(`variable ${plain} == 1`)],
  ['a pattern of an assertion', asserted(`body regex /${plain}/ == "x"`)],
  [
    'JSON with escapes and a long integer',
    () => withExactIntegers(`{"a": 12345678901234567890, "b": "${'\\"'.repeat(LENGTH)}"}`),
  ],
  ['an address', () => plainAddress(`http://a.test/${plain}?${'%20'.repeat(LENGTH / 3)}`)],
  ['blanks of a script', () => expect(scriptTokens(`${'\n//'.repeat(LENGTH / 3)}\na`)).toHaveLength(1)],
  ['a pattern of a script', () => expect(scriptTokens(`a = /${plain}/g`)).toHaveLength(3)],
  ['a number of a script', () => expect(scriptTokens(`a = ${'1'.repeat(LENGTH)}`)).toHaveLength(3)],
  ['a certificate of curl', converted(`curl -E '${plain}:p' https://a/\n`, 'curl')],
  ['a form in Chinese', converted(`curl -d 'a=${chinese}' http://a/\n`, 'curl')],
  ['an address in Chinese', () => expect(encodePath(`/${chinese}?${chinese}`)).toHaveLength(2 + 18 * LENGTH)],
  ['a password in Chinese', () => expect(separatedCredentials(`Basic ${chinese} ${chinese}`)).toBeDefined()],
  ['a user', converted(`GET http://a/\nAuthorization: Basic ${plain} x\n`, 'http', 'curl')],
]

describe('a text of 10 MB is read', () => {
  it.each([...inQuotes, ...others])('%s', async (_name, call) => void (await call()))
})
