/** Parser options: the builder and the plain object are one thing, and every call changes what it says. */
import { describe, expect, it } from 'vitest'
import {
  HttpParseError,
  HttpParser,
  ParserOptions,
  type ParserOptionsBuilder,
  type ParserOptionsInit,
  type RepairCode,
} from '../../../src/message/index.ts'

interface Call {
  readonly name: string
  readonly call: (builder: ParserOptionsBuilder) => ParserOptionsBuilder
  readonly init: ParserOptionsInit
  /** A message on which the call makes a difference. */
  readonly text: string
  readonly before: 'accepted' | 'refused'
  readonly codes: readonly string[]
}

const CALLS: readonly Call[] = [
  {
    name: 'doNotAllowNewLineWithoutReturn',
    call: (builder) => builder.doNotAllowNewLineWithoutReturn(),
    init: { allowBareLf: false },
    text: 'GET / HTTP/1.1\nHost: a\n\n',
    before: 'accepted',
    codes: ['BARE_LF'],
  },
  {
    name: 'doNotInsertHostHeaderIfMissing',
    call: (builder) => builder.doNotInsertHostHeaderIfMissing(),
    init: { insertHost: false },
    text: 'GET http://a/ HTTP/1.1\r\n\r\n',
    before: 'accepted',
    codes: ['HOST'],
  },
  {
    name: 'doNotInsertHttpVersionIfMissing',
    call: (builder) => builder.doNotInsertHttpVersionIfMissing(),
    init: { insertVersion: false },
    text: 'GET /\r\nHost: a\r\n\r\n',
    before: 'accepted',
    codes: ['VERSION', 'START_LINE'],
  },
  {
    name: 'doNotIgnoreLeadingEmptyLine',
    call: (builder) => builder.doNotIgnoreLeadingEmptyLine(),
    init: { ignoreLeadingEmptyLine: false },
    text: '\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
    before: 'accepted',
    codes: ['START_LINE', 'METHOD'],
  },
  {
    name: 'allowIllegalStartLineCharacters',
    call: (builder) => builder.allowIllegalStartLineCharacters(),
    init: { allowIllegalTarget: true },
    text: 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n',
    before: 'refused',
    codes: ['TARGET', 'START_LINE', 'VERSION'],
  },
  {
    name: 'rejectFoldedHeaders',
    call: (builder) => builder.rejectFoldedHeaders(),
    init: { foldedHeaders: 'reject' },
    text: 'GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n',
    before: 'accepted',
    codes: ['FOLD'],
  },
]

const codeOf = (options: ParserOptions | ParserOptionsInit, text: string): string => {
  try {
    new HttpParser(options).parseRequest(text)
    return 'accepted'
  } catch (error) {
    return error instanceof HttpParseError ? error.code : String(error)
  }
}

describe('ParserOptions', () => {
  it('are lenient by default', () => {
    expect(ParserOptions.of()).toMatchObject({
      preset: 'lenient',
      allowBareLf: true,
      insertHost: true,
      insertVersion: true,
      ignoreLeadingEmptyLine: true,
      allowIllegalTarget: false,
      foldedHeaders: 'unfold',
      inferContentLength: true,
    })
    expect(ParserOptions.of({})).toEqual(ParserOptions.of())
    expect(ParserOptions.newBuilder().build()).toEqual(ParserOptions.of())
    expect(new HttpParser().options).toEqual(ParserOptions.LENIENT)
  })

  it.each(CALLS)('$name() is the same as its key in the plain object', ({ call, init }) => {
    expect(call(ParserOptions.newBuilder()).build()).toEqual(ParserOptions.of(init))
    expect(ParserOptions.of(init)).not.toEqual(ParserOptions.of())
  })

  it.each(CALLS)('$name() alone changes what is accepted', ({ call, init, text, before, codes }) => {
    const [withoutCall, withCall] = [codeOf({}, text), codeOf(call(ParserOptions.newBuilder()).build(), text)]
    expect(codeOf(init, text)).toBe(withCall)
    const [accepted, refused] = before === 'accepted' ? [withoutCall, withCall] : [withCall, withoutCall]
    expect(accepted).toBe('accepted')
    expect(codes).toContain(refused)
    for (const other of CALLS.filter((candidate) => candidate.call !== call)) {
      expect(codeOf(other.init, text), other.name).toBe(withoutCall)
    }
  })

  it('doNotInferContentLength() leaves a typed body out of the message', () => {
    const text = 'POST / HTTP/1.1\r\nHost: a\r\n\r\nhello'
    const options = ParserOptions.newBuilder().doNotInferContentLength().build()
    expect(options).toEqual(ParserOptions.of({ inferContentLength: false }))
    expect(new HttpParser(options).parseRequest(text).headers.has('content-length')).toBe(false)
    expect(new HttpParser(options).parseRequest(text).eagerly().content).toBeUndefined()
    expect(new HttpParser().parseRequest(text).headers.get('content-length')).toBe('5')
  })

  it('allowIllegalStartLineCharacters() works with every preset', () => {
    for (const preset of ['lenient', 'strict', 'server'] as const) {
      const parser = new HttpParser({ preset, allowIllegalTarget: true })
      expect(parser.parseRequest('GET /a|b HTTP/1.1\r\nHost: a\r\n\r\n').eagerly().toString()).toMatch(/^GET \/a%7Cb /)
    }
  })

  it('builder calls add up, and a builder can start from other options', () => {
    const built = ParserOptions.newBuilder({ preset: 'strict' }).allowIllegalStartLineCharacters().build()
    expect(built).toEqual(ParserOptions.of({ preset: 'strict', allowIllegalTarget: true }))
    const both = ParserOptions.newBuilder().doNotAllowNewLineWithoutReturn().doNotInsertHostHeaderIfMissing().build()
    expect(both).toEqual(ParserOptions.of({ allowBareLf: false, insertHost: false }))
    expect(ParserOptions.newBuilder(both).build()).toEqual(both)
  })

  it('a key of the plain object overrides its preset', () => {
    const text = 'GET / HTTP/1.1\nHost: a\n\n'
    expect(codeOf({ preset: 'strict' }, text)).toBe('BARE_LF')
    expect(codeOf({ preset: 'strict', allowBareLf: true }, text)).toBe('accepted')
  })

  it('the constants are the presets', () => {
    expect(ParserOptions.STRICT).toEqual(ParserOptions.of({ preset: 'strict' }))
    expect(ParserOptions.SERVER).toEqual(ParserOptions.of({ preset: 'server' }))
    expect(ParserOptions.STRICT).toMatchObject({
      allowBareLf: false,
      insertHost: false,
      insertVersion: false,
      ignoreLeadingEmptyLine: false,
      allowIllegalTarget: false,
      inferContentLength: false,
    })
    expect(ParserOptions.SERVER).toMatchObject({ allowBareLf: false, insertHost: false, ignoreLeadingEmptyLine: true })
  })

  it('have the documented limits, and a given limit replaces only itself', () => {
    const library = {
      startLine: 16 * 1024,
      headerSection: 64 * 1024,
      headerCount: 200,
      chunkExtensions: 16 * 1024,
      trailerSection: 16 * 1024,
      body: Number.POSITIVE_INFINITY,
    }
    expect(ParserOptions.LENIENT.limits).toEqual(library)
    expect(ParserOptions.SERVER.limits).toMatchObject({ headerSection: 32 * 1024, headerCount: 100 })
    const limited = ParserOptions.newBuilder().withLimits({ body: 7 }).withLimits({ headerCount: 3 }).build()
    expect(limited.limits).toEqual({ ...library, body: 7, headerCount: 3 })
    expect(ParserOptions.of({ limits: { body: 7 } }).limits).toEqual({ ...library, body: 7 })
  })

  it('cannot be changed once built', () => {
    const options = ParserOptions.of()
    expect(() => Object.assign(options, { allowBareLf: false })).toThrow(TypeError)
    expect(() => Object.assign(options.limits, { body: 1 })).toThrow(TypeError)
  })

  it('onRepair() receives each repair that the message lists', () => {
    const heard: RepairCode[] = []
    const options = ParserOptions.newBuilder()
      .onRepair((repair) => heard.push(repair.code))
      .build()
    const request = new HttpParser(options).parseRequest('\r\nGET http://a/\n\n')
    expect(heard).toEqual(request.repairs.map((repair) => repair.code))
    expect(new Set(heard)).toEqual(new Set(['leading-empty-line', 'missing-version', 'missing-host', 'bare-lf']))
  })

  it('have no option that allows bad framing', () => {
    const all: ParserOptionsInit = { allowBareLf: true, allowIllegalTarget: true, foldedHeaders: 'unfold' }
    const head = 'POST / HTTP/1.1\r\nHost: a\r\n'
    for (const preset of ['lenient', 'strict', 'server'] as const) {
      const code = (fields: string): string => codeOf({ ...all, preset }, `${head}${fields}\r\n\r\n0\r\n\r\n`)
      expect(code('Content-Length: 5\r\nTransfer-Encoding: chunked')).toBe('FRAMING_CONFLICT')
      expect(code('Content-Length: +5')).toBe('CONTENT_LENGTH')
      expect(code('Transfer-Encoding: chunked, gzip')).toBe('TRANSFER_ENCODING')
      expect(code('Transfer-Encoding:\r\n chunked')).toBe('FOLD')
      expect(code('X: y\rz')).toBe('BARE_CR')
      expect(code('X: \0')).toBe('HEADER_VALUE')
    }
  })
})
