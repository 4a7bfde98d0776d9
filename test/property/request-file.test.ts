/** Invariants of any request file: all of it is sent or is an error with its place, nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeForm, parseHttpFile, parseTemplate } from '../../src/http-file/index.ts'
import { HttpcliError } from '../../src/message/index.ts'
import { planRun } from '../../src/runner/plan/run-plan.ts'
import { graphqlBody } from '../../src/runner/request/graphql-body.ts'
import { frameMultipart } from '../../src/runner/request/multipart-body.ts'
import { requestRounds } from '../../src/runner/request/request-builder.ts'
import { SharedVariables } from '../../src/runner/variables/shared-variables.ts'
import { noFiles } from '../helpers/file-root.ts'

const expression = fc.oneof(
  fc.constantFrom(
    ...['a', 'b', 'list', 'object.x', 'object', 'list[0]', '$.list', '$..x', 'list[*]', "object['x']", '$uuid'],
    ...['$random.integer(1, 5)', '$random.integer(5, 1)', '$random.name.firstName', '$env.X', '$projectRoot', 'none'],
    ...[
      '$auth.token("x")',
      'object[?@.x]',
      '$random.alphabetic(3)',
      '$random.',
      '__proto__',
      'constructor',
      '$$',
      '[x',
    ],
  ),
  fc.string({ maxLength: 8 }),
)

const text = fc.oneof(
  expression.map((inner) => `{{${inner}}}`),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('%', '%2', '=', '&', ' ', 'é', '--B', '"', '{', '}', '\t', '#', '?', '\ud800'),
)
const words = fc.array(text, { maxLength: 4 }).map((parts) => parts.join(''))

const lines = (...each: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.array(fc.oneof(...each), { maxLength: 3 }).map((all) => all.map((one) => `${one}\n`).join(''))

const head = lines(
  words.map((value) => `@a = ${value}`),
  words.map((value) => `run #one (@b = ${value})`),
  fc.constantFrom('# @name one', 'run #two', 'import none.http', '', '# @timeout x', '# @no-auto-encoding'),
)
const requestLine = fc.oneof(
  words.map((value) => `GET http://h.test/${value}`),
  words.map((value) => `POST http://h.test?${value}`),
  words.map((value) => `PUT {{a}}${value}`),
  fc.constantFrom('GRAPHQL http://h.test/', 'WEBSOCKET ws://h.test/', 'GET /x', 'OPTIONS *'),
)
const headers = lines(
  words.map((value) => `X: ${value}`),
  words.map((value) => `Authorization: Basic ${value}`),
  fc.constantFrom(
    ...['Content-Type: application/json', 'Content-Type: multipart/mixed; boundary=B', 'Host: h.test', '{{a}}: b'],
    ...['Content-Type: application/x-www-form-urlencoded', 'Content-Type: text/plain; charset=koi8-r'],
  ),
)
const body = lines(words, fc.constantFrom('--B', '--B--', '===', '{ q }', '{"x": 1}', '< none', '<@ none', ''))

const file = fc
  .array(fc.tuple(head, requestLine, headers, body), { minLength: 1, maxLength: 3 })
  .map((sections) =>
    sections.map(([top, line, fields, content]) => `${top}${line}\n${fields}\n${content}`).join('###\n'),
  )

const shared = (): SharedVariables =>
  new SharedVariables({
    environment: new Map<string, never>(
      Object.entries({ b: '{{a}}', list: [1, 'x', { x: 1 }], object: { x: '{{b}}' } }) as [string, never][],
    ),
    processEnvironment: { X: 'x' },
    files: noFiles,
    sources: { now: () => 0, randomBytes: (count) => new Uint8Array(count).fill(7) },
  })

describe('any request file', () => {
  it('is sent, or reported with the place of the error', async () => {
    await fc.assert(
      fc.asyncProperty(file, async (source) => {
        const parsed = parseHttpFile(source)
        if (parsed.errors.length > 0) return
        const loaded = { file: parsed.file, source: { path: 'x.http', text: source }, path: '/nowhere/x.http' }
        for (const step of (await planRun(loaded, shared())).steps()) {
          if (step instanceof HttpcliError) {
            expect(step.where?.line).toBeGreaterThan(0)
            continue
          }
          try {
            for (const { build } of requestRounds(step)) {
              expect((await build()).message.encode).toBeTypeOf('function')
            }
          } catch (error) {
            expect(error).toBeInstanceOf(HttpcliError)
            expect((error as HttpcliError).where?.line).toBeGreaterThan(0)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('has templates whose parts join to the original text', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.constantFrom('{', '}', '{{', '}}', '\n', ' '))), (pieces) => {
        const source = pieces.join('')
        const shown = parseTemplate(source).parts.map((part) =>
          part.type === 'text' ? part.text : source.slice(part.span.offset, part.span.offset + part.span.length),
        )
        expect(shown.join('')).toBe(source)
      }),
    )
  })

  it('has forms that reproduce their values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string())), (pairs) => {
        const pieces = pairs.flatMap(([name, value], index) => [
          ...(index === 0 ? [] : [{ text: ' &\n ', isValue: false }]),
          { text: name, isValue: true },
          { text: ' = ', isValue: false },
          { text: value, isValue: true },
        ])
        const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8')
        const expected = pairs.map(([name, value]) => [wellFormed(name), wellFormed(value)])
        expect([...new URLSearchParams(encodeForm(pieces))]).toEqual(expected)
      }),
    )
  })

  it('has multipart bodies that keep the lines of their parts', () => {
    const content = fc.array(
      fc.string({ maxLength: 5 }).filter((each) => each.trim() !== '' && !each.startsWith('--')),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    fc.assert(
      fc.property(fc.array(content, { minLength: 1, maxLength: 4 }), (parts) => {
        const lines = parts.flatMap((part) => ['--B', 'X: y', '', ...part]).concat('--B--')
        const framed = frameMultipart<never>(
          lines.map((each) => ({ line: each })),
          'B',
          (_span, message) => {
            throw new Error(message)
          },
        )
        const sent = (framed ?? []).map((piece) => ('text' in piece ? piece.text : '')).join('')
        const expected = parts.map((part) => `--B\r\nX: y\r\n\r\n${part.join('\n')}\r\n`).join('')
        expect(sent).toBe(`${expected}--B--\r\n`)
      }),
    )
  })

  it('has GraphQL variables that reproduce their values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (variables) => {
        const body = JSON.parse(graphqlBody(`query Q { a(b: "}{") }\n${JSON.stringify(variables)}`))
        expect(body).toEqual({
          query: 'query Q { a(b: "}{") }',
          variables: JSON.parse(JSON.stringify(variables)),
          operationName: 'Q',
        })
      }),
    )
  })
})
