/** HeaderList: field lines in their order and spelling, duplicates kept, never changed in place. */
import { describe, expect, it } from 'vitest'
import { HeaderList, parseRequest } from '../../../src/message/index.ts'

const three = HeaderList.of([
  ['Accept', 'a'],
  ['X-Two', 'b'],
  ['accept', 'c'],
])
const pairs = (headers: HeaderList): string[] => Array.from(headers, ([name, value]) => `${name}: ${value}`)

describe('HeaderList', () => {
  it.each([
    [
      'pairs',
      [
        ['A', '1'],
        ['b', '2'],
        ['A', '3'],
      ] as const,
      ['A: 1', 'b: 2', 'A: 3'],
    ],
    ['a record', { A: '1', b: ['2', '3'] }, ['A: 1', 'b: 2', 'b: 3']],
    [
      'fetch Headers',
      new Headers([
        ['A', '1'],
        ['b', '2'],
      ]),
      ['a: 1', 'b: 2'],
    ],
    ['another list', HeaderList.of({ A: '1' }), ['A: 1']],
    ['nothing', undefined, []],
  ])('is created from %s', (_kind, init, expected) => {
    expect(pairs(HeaderList.of(init))).toEqual(expected)
  })

  it('keeps order, spelling and duplicates', () => {
    expect(pairs(three)).toEqual(['Accept: a', 'X-Two: b', 'accept: c'])
    expect(three.names()).toEqual(['Accept', 'X-Two', 'accept'])
    expect(three.size).toBe(3)
    expect(String(three).trimEnd()).toBe('Accept: a\r\nX-Two: b\r\naccept: c')
  })

  it('finds a field by its name in any case', () => {
    expect(three.get('ACCEPT')).toBe('a, c')
    expect(three.first('aCCEPT')).toBe('a')
    expect(three.all('accept')).toEqual(['a', 'c'])
    expect(three.has('x-two')).toBe(true)
  })

  it('reports a missing field', () => {
    expect(three.get('x')).toBeUndefined()
    expect(three.first('x')).toBeUndefined()
    expect(three.all('x')).toEqual([])
    expect(three.list('x')).toEqual([])
    expect(three.has('x')).toBe(false)
    expect(three.has('x', 'a')).toBe(false)
  })

  it('never joins Set-Cookie', () => {
    const cookies = HeaderList.of([
      ['Set-Cookie', 'a=1, b'],
      ['set-cookie', 'c=2'],
    ])
    expect(cookies.get('set-cookie')).toBe('a=1, b')
    expect(cookies.all('Set-Cookie')).toEqual(['a=1, b', 'c=2'])
  })

  it.each([
    ['a,b', ['a', 'b']],
    [' a ,\tb\t', ['a', 'b']],
    [',a,, ,b,', ['a', 'b']],
    ['"a, b", c', ['"a, b"', 'c']],
    ['"a\\", b", c', ['"a\\", b"', 'c']],
    ['"a\\\\", b', ['"a\\\\"', 'b']],
    ['a, "b, c', ['a', '"b, c']],
    ['a, "b\\', ['a', '"b\\']],
    ['a;q="x,y";r=1, b', ['a;q="x,y";r=1', 'b']],
    ['', []],
    [' , ', []],
    ['\xa0a, b\xa0', ['\xa0a', 'b\xa0']],
  ])('splits the list %j at its commas', (value, expected) => {
    expect(HeaderList.of({ X: value }).list('x')).toEqual(expected)
  })

  it('reads several lines of a name as one list', () => {
    expect(
      HeaderList.of([
        ['X', 'a, b'],
        ['Y', 'n'],
        ['x', 'c'],
      ]).list('X'),
    ).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['close', true],
    ['Close', true],
    ['keep-alive, CLOSE', true],
    ['close,', true],
    ['\tclose ', true],
    ['clown', false],
    ['closed', false],
    ['xclose', false],
    ['clos', false],
    ['close x', false],
    ['"close"', false],
    ['"a, close"', false],
    ['\xa0close', false],
  ])('Connection: %j has the token close: %s', (value, expected) => {
    expect(HeaderList.of({ Connection: value }).has('connection', 'close')).toBe(expected)
  })

  it('finds a token in any of several lines', () => {
    expect(
      HeaderList.of([
        ['Connection', 'a'],
        ['connection', 'close'],
      ]).has('Connection', 'CLOSE'),
    ).toBe(true)
  })

  it('with() replaces the first line in place and drops the others', () => {
    expect(pairs(three.with('accept', 'new'))).toEqual([expect.stringMatching(/^accept: new$/i), 'X-Two: b'])
    expect(pairs(three.with('Other', 'new'))).toEqual([...pairs(three), 'Other: new'])
  })

  it('append() adds a line at the end, prepend() at the start', () => {
    expect(pairs(three.append('Accept', 'd'))).toEqual([...pairs(three), 'Accept: d'])
    expect(pairs(three.prepend('Host', 'h'))).toEqual(['Host: h', ...pairs(three)])
  })

  it('without() drops every line of each name', () => {
    expect(pairs(three.without('ACCEPT'))).toEqual(['X-Two: b'])
    expect(pairs(three.without('accept', 'x-two'))).toEqual([])
    expect(pairs(three.without('other'))).toEqual(pairs(three))
  })

  it('withMissing() adds all lines of missing names', () => {
    const list = HeaderList.of({ Accept: 'a' }).withMissing({ accept: 'b', Via: ['1', '2'] })
    expect([...list]).toEqual([
      ['Accept', 'a'],
      ['Via', '1'],
      ['Via', '2'],
    ])
    expect(list.withMissing({ VIA: '3' })).toBe(list)
    expect(() => list.withMissing({ 'X Y': '1' })).toThrow()
  })

  it('merge() prefers the other list, and keeps all its lines of a name', () => {
    const merged = three.merge([
      ['X-Two', 'new'],
      ['Set-Cookie', '1'],
      ['Set-Cookie', '2'],
    ])
    expect(merged.get('accept')).toBe('a, c')
    expect(merged.all('x-two')).toEqual(['new'])
    expect(merged.all('set-cookie')).toEqual(['1', '2'])
    expect(merged.names().map((name) => name.toLowerCase())).toEqual([
      'accept',
      'x-two',
      'accept',
      'set-cookie',
      'set-cookie',
    ])
  })

  it('is never changed', () => {
    const before = pairs(three)
    three.with('Accept', 'x')
    three.append('a', 'b')
    three.prepend('a', 'b')
    three.without('Accept')
    three.merge({ Accept: 'x' })
    expect(pairs(three)).toEqual(before)
    for (const view of [three.all('accept'), three.names(), three.list('accept')]) {
      try {
        ;(view as string[]).push('x')
      } catch (error) {
        expect(error, 'a frozen array says so').toBeInstanceOf(TypeError)
      }
    }
    expect(three.all('accept')).toEqual(['a', 'c'])
    expect(pairs(three)).toEqual(before)
  })

  it('is independent of later changes to its source', () => {
    const source: [string, string][] = [['A', '1']]
    const list = HeaderList.of(source)
    source[0]![1] = '2'
    source.push(['B', '3'])
    expect(pairs(list)).toEqual(['A: 1'])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])('does not inherit %s', (name) => {
    expect(HeaderList.of().get(name)).toBeUndefined()
    expect(HeaderList.of({ A: '1' }).has(name)).toBe(false)
    expect(HeaderList.of([[name, 'x']]).get(name)).toBe('x')
    expect(HeaderList.of(JSON.parse(`{"${name}":"x"}`)).get(name.toUpperCase())).toBe('x')
    expect(pairs(HeaderList.of([[name, 'x']]).with(name, 'y'))).toEqual([`${name}: y`])
  })

  it('treats only ASCII letters as letters', () => {
    expect(HeaderList.of({ Keep: '1' }).get('\u212aeep')).toBeUndefined()
    expect(HeaderList.of({ Connection: 'keep-alive' }).has('connection', '\u212aeep-alive')).toBe(false)
    expect(HeaderList.of({ Size: '1' }).get('\u017fize')).toBeUndefined()
  })

  it('does not confuse characters that are 32 code points apart', () => {
    expect(HeaderList.of([['X^', '1']]).get('X~')).toBeUndefined()
    expect(HeaderList.of([['X~', '1']]).get('X^')).toBeUndefined()
    expect(HeaderList.of([['X`', '1']]).get('X@')).toBeUndefined()
    expect(HeaderList.of([['X-', '1']]).get('X\r')).toBeUndefined()
    expect(HeaderList.of({ X: '^' }).has('x', '~')).toBe(false)
  })

  it.each([
    ['a space in the name', 'a b', 'x'],
    ['an empty name', '', 'x'],
    ['a colon in the name', 'a:', 'x'],
    ['CR LF in the name', 'a\r\nb', 'x'],
    ['CR LF in the value', 'a', 'x\r\nInjected: y'],
    ['a bare LF in the value', 'a', 'x\ny'],
    ['a bare CR in the value', 'a', 'x\ry'],
    ['NUL in the value', 'a', 'x\0'],
    ['a character that is not a byte', 'a', '\u0141'],
  ])('accepts no field with %s', (_what, name, value) => {
    expect(() => HeaderList.of([[name, value]])).toThrow()
    expect(() => three.with(name, value)).toThrow()
    expect(() => three.append(name, value)).toThrow()
    expect(() => three.prepend(name, value)).toThrow()
    expect(() => three.merge([[name, value]])).toThrow()
  })

  it('toFetch() loses only order and spelling', () => {
    const headers = HeaderList.of([
      ['X-B', '1'],
      ['A', '2'],
      ['x-b', '3'],
      ['Set-Cookie', 'a'],
      ['Set-Cookie', 'b'],
    ])
    const fetched = headers.toFetch()
    expect(fetched).toBeInstanceOf(Headers)
    expect(fetched.get('x-b')).toBe('1, 3')
    expect(fetched.get('a')).toBe('2')
    expect(fetched.getSetCookie()).toEqual(['a', 'b'])
  })

  it('lineOf() gives the line of the text in which a field was read', () => {
    const { headers } = parseRequest('GET / HTTP/1.1\r\nHost: a\r\nX: y\r\nZ: z\r\nx: y\r\n\r\n')
    expect(headers.lineOf('host')).toBe(2)
    expect(headers.lineOf('X')).toBe(3)
    expect(headers.lineOf('x', 1)).toBe(5)
    expect(headers.lineOf('x', 2)).toBeUndefined()
    expect(headers.lineOf('other')).toBeUndefined()
    expect(three.lineOf('accept')).toBeUndefined()
  })
})
