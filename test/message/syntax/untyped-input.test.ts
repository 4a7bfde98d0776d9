/** Wrong types from untyped callers, and misspelt names, are errors that say what was found. */
import { describe, expect, it } from 'vitest'
import {
  HeaderList,
  HttpcliError,
  HttpParser,
  HttpRequest,
  HttpResponse,
  parseRequest,
  parseResponse,
} from '../../../src/message/index.ts'

const url = 'http://a/'

describe('untyped input', () => {
  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => new HttpParser({ allowBareLF: true } as never), 'parser options have no "allowBareLF"'],
    ['an unknown limit', () => new HttpParser({ limits: { bodyy: 1 } as never }), 'limits have no "bodyy"'],
    [
      '__proto__ as an option',
      () => new HttpParser(JSON.parse('{"__proto__":1}')),
      'parser options have no "__proto__"',
    ],
    [
      'a switch of another type',
      () => new HttpParser({ allowBareLf: 'no' as never }),
      'allowBareLf is a string, expected a boolean',
    ],
    [
      'another way to fold',
      () => new HttpParser({ foldedHeaders: 'x' as never }),
      `foldedHeaders is "x", expected 'unfold' or 'reject'`,
    ],
    [
      'options that are text',
      () => new HttpParser('strict' as never),
      'parser options are a string, expected an object',
    ],
    ['options that are null', () => new HttpParser(null as never), 'parser options are null, expected an object'],
    [
      'a message that is a number',
      () => parseRequest(5 as never),
      'the message is a number, expected a string or a Uint8Array',
    ],
    [
      'no message',
      () => parseResponse(undefined as never),
      'the message is undefined, expected a string or a Uint8Array',
    ],
    [
      'a request of nothing',
      () => new HttpRequest(undefined as never),
      'the parts of a request are undefined, expected an object',
    ],
    [
      'an unknown part',
      () => new HttpResponse({ status: 200, header: {} } as never),
      'the parts of a response have no "header"',
    ],
    ['no method', () => new HttpRequest({ url } as never), 'the method is undefined'],
    ['no URL', () => new HttpRequest({ method: 'GET' } as never), 'the URL is undefined, expected a string or a URL'],
    ['a number as a value', () => HeaderList.of({ X: 5 } as never), 'the value of X is a number, expected a string'],
    [
      'an undefined value',
      () => HeaderList.of({ X: undefined } as never),
      'the value of X is undefined, expected a string',
    ],
    [
      'headers that are text',
      () => new HttpResponse({ status: 200, headers: 'X: y' } as never),
      'headers is a string, expected an object',
    ],
  ])('%s', (_name, action, message) => {
    let error: unknown
    try {
      action()
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(HttpcliError)
    expect((error as Error).message).toBe(message)
  })

  it('keys with the value undefined are ignored', () => {
    expect(new HttpParser({ preset: undefined, limits: undefined } as never).options.preset).toBe('lenient')
    expect(parseResponse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', { method: 'HEAD' }).body).toBeUndefined()
  })
})
