/**
 * No public function or method of the message library answers an argument of a wrong type with an error of the engine,
 * such as `Cannot read properties of undefined`: each is an HttpcliError that says what was found.
 */
import { describe, expect, it } from 'vitest'
import * as library from '../../../src/message/index.ts'

const values: readonly unknown[] = [
  ...[undefined, null, 0, -1, Number.NaN, 1.5, '', 'x', '\0', true, Symbol('s'), 10n],
  ...[[], [1], {}, { x: 1 }, () => 1, new Date(0), new Map(), Object.create(null), new Uint8Array(1)],
]
const secondValues: readonly unknown[] = [undefined, 5, { x: 1 }, 'y']

/** Called by decoders and readers of content, in loops, with what the library gave them. */
const unchecked = new Set([
  'aboveLimit',
  'concatBytes',
  'damagedContent',
  'hasZlibHeader',
  'octetString',
  'peekContent',
])

const response = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na'
const instances: Readonly<Record<string, () => object>> = {
  HeaderList: () => library.HeaderList.of({ A: 'b' }),
  HttpRequest: () => library.parseRequest('GET http://h/\n'),
  HttpResponse: () => library.parseResponse(response),
  EagerRequest: () => library.parseRequest('GET http://h/\n').eagerly(),
  EagerResponse: () => library.parseResponse(response).eagerly(),
  ReceivedBody: () => library.parseResponse(response).body as object,
  client: () => new library.HttpConnection('client'),
  server: () => new library.HttpConnection('server'),
  HttpDecoder: () => new library.HttpDecoder('server'),
  HttpParser: () => new library.HttpParser(),
  ParserOptions: () => library.ParserOptions.LENIENT,
  StringBody: () => new library.StringBody('a'),
  ChunkedBody: () => new library.ChunkedBody([new Uint8Array(2)]),
}

type Call = (...words: unknown[]) => unknown

/** The errors of other classes that a call ends with, for each pair of arguments. */
async function foreignErrors(call: Call): Promise<readonly string[]> {
  const found: string[] = []
  for (const first of values) {
    for (const second of secondValues) {
      try {
        await settled(call(first, second))
      } catch (error) {
        if (!(error instanceof library.HttpcliError)) found.push(`${typeof first}, ${typeof second}: ${String(error)}`)
      }
    }
  }
  return [...new Set(found)]
}

/** Waits for a promise, and for the first value of an iteration. */
async function settled(result: unknown): Promise<void> {
  if (result instanceof library.OctetSource) return
  const value = (await result) as Partial<AsyncIterable<unknown> & Iterable<unknown> & { next: unknown }> | undefined
  if (typeof value !== 'object' || value === null) return
  if (value[Symbol.asyncIterator] !== undefined) for await (const _ of value as AsyncIterable<unknown>) break
  else if (value.next !== undefined) for (const _ of value as Iterable<unknown>) break
}

function methodsOf(value: object): readonly string[] {
  const names = new Set<string>()
  for (let type = Object.getPrototypeOf(value); type !== null && type !== Object.prototype; ) {
    for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
      if (name !== 'constructor' && typeof method === 'function') names.add(name)
    }
    type = Object.getPrototypeOf(type)
  }
  return [...names]
}

const functions = Object.entries(library).filter(
  (entry): entry is [string, Call & (new (...words: unknown[]) => unknown)] =>
    typeof entry[1] === 'function' && !entry[0].endsWith('Error') && !unchecked.has(entry[0]),
)

describe('arguments of wrong types', () => {
  it.each(functions)('of %s', async (name, called) => {
    const isClass = /^[A-Z]/.test(name)
    expect(await foreignErrors((...words) => (isClass ? new called(...words) : called(...words)))).toEqual([])
  })

  it.each(Object.entries(instances))('of the methods of %s', async (_name, make) => {
    for (const method of methodsOf(make())) {
      const call: Call = (...words) => (make() as Readonly<Record<string, Call>>)[method]?.(...words)
      expect([method, await foreignErrors(call)]).toEqual([method, []])
    }
  })

  it.each(functions)('of the static methods of %s', async (_name, owner) => {
    const statics = owner as unknown as Readonly<Record<string, Call>>
    for (const method of Object.getOwnPropertyNames(statics)) {
      if (typeof statics[method] !== 'function') continue
      const call: Call = (...words) => statics[method]?.(...words)
      expect([method, await foreignErrors(call)]).toEqual([method, []])
    }
  })
})
