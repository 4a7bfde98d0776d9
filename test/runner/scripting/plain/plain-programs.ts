/**
 * Programs at random that are plain, or nearly: what scripts of request files are made of, in any order, with any
 * blanks between, over answers of any kind.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts are texts here
import fc from 'fast-check'
import type { JsonValue } from '../../../../src/http-file/index.ts'

export interface PlainProgram {
  readonly code: string
  readonly mimeType: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly globals: Readonly<Record<string, JsonValue>>
}

type Words = readonly string[]

/** Names of members that objects have, that they seem to have, and that they have by inheritance. */
const keys = [
  'id',
  'name',
  'tags',
  'owner',
  'length',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'toJSON',
  'then',
  '0',
  '1',
  '01',
  '-1',
  '4294967295',
  '4294967294',
  '2147483648',
  'at',
  'group',
  '',
  'ä',
  'in',
  'if',
]

const strings = [
  ...keys,
  'a',
  'b',
  'B',
  'abc',
  ' a\t',
  '\u00a0\ufeffx\u2003',
  '\u180ex',
  '\u2028',
  'Zoë',
  'İK',
  'ß',
  '🦊',
  '200',
  '1e3',
  '-0',
  '{}',
  '[1,{"a":2}]',
  '{"a":1,"a":2,"10":0,"9":1}',
  '"\\ud83e"',
  'null',
  '1.0e+2',
  'content-type',
  'X-ONE',
  'x-one',
  '//',
  '/*',
  '%}',
  "it's",
]

const numbers = [
  '0',
  '1',
  '2',
  '3',
  '7',
  '10',
  '200',
  '0.1',
  '0.2',
  '1.5',
  '2147483647',
  '2147483648',
  '4294967295',
  '4294967296',
  '9007199254740991',
  '9007199254740993',
  '123456789012345678901234567890',
  '1000000000000000000000',
  '0.0000001',
  '0.000001',
]

const some = fc.constantFrom
const words = (...given: string[]): fc.Arbitrary<Words> => fc.constant(given)
const joined = (...parts: (fc.Arbitrary<Words> | string)[]): fc.Arbitrary<Words> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? words(part) : part))).map((lists) => lists.flat())

const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 2, arbitrary: some<JsonValue>(null, true, false, 0, 1, 7, 200, -1.5, 1e21, 1e-7, 5e-324, 2 ** 53) },
    { weight: 2, arbitrary: some<JsonValue>(...strings) },
    { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(some(...keys), tie('value')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries) as JsonValue),
    },
  ),
})).value

/** As a server may write it: with names that come twice, escapes, blanks and numbers of any form. */
const jsonText = fc.oneof(
  { weight: 6, arbitrary: jsonValue.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: some(
      '{"id":1,"id":2,"name":"x","id":3}',
      '{"__proto__":{"id":5},"name":1}',
      '{"constructor":1,"toString":2,"hasOwnProperty":3,"length":4,"tags":[]}',
      '{"id":1E400,"name":-0,"tags":[1e-400,0.1e1,-0.0],"owner":12345678901234567890}',
      '{"name":"\\u0041\\ud83e\\udd8a\\ud83e","tags":["\\/","\\b\\f"]}',
      ' { "id" :\t1 ,\r\n"tags":[ ] } ',
      '{"10":1,"9":2,"4294967295":3,"4294967294":4,"b":5,"-1":6,"2147483648":7,"01":8,"a":9}',
      '[1,2,3]',
      '"text"',
      '200',
      'true',
      'null',
      '',
      '{',
      '{"id":01}',
      '{"id":1,}',
      "{'id':1}",
      '[1 2]',
      '\ufeff{"id":1}',
      '{"id":"\u2028\u007f"}',
      '{"id":\u00a01}',
      '{"id":"a\nb"}',
      '{"id":"\\x41"}',
      '[1.]',
      '[.5]',
      '[+1]',
      '[NaN]',
      '[-]',
      '[1]x',
      '[1e]',
    ),
  },
)

const answer = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      mimeType: some('application/json', 'application/json; charset=utf-8', 'application/problem+json'),
      body: jsonText,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      mimeType: some('text/plain', 'text/plain;charset=UTF-8', 'Text/CSV; charset="utf8"', 'text/plain; charset=x'),
      body: some(...strings, '\ufeffa', 'a,b\r\nc', '200'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      mimeType: some('', 'text/html', 'application/xml', 'text/json', 'image/png', 'application/x-www-form-urlencoded'),
      body: some('<a/>', '{"id":1}', 'id=1', ''),
    }),
  },
)

const quoted = (text: string): Words =>
  /["\\\n]/.test(text) ? [JSON.stringify(text)] : [text.length % 2 === 0 ? `"${text}"` : `'${text.replace(/'/g, '')}'`]

const log = (...values: readonly fc.Arbitrary<Words>[]): fc.Arbitrary<Words> =>
  joined('client', '.', 'log', '(', ...values.flatMap((value, index) => (index === 0 ? [value] : [',', value])), ')')

/** Mostly values of the type that an operator wants, because everything else is declined. */
const { statements, any } = fc.letrec<
  Record<'any' | 'number' | 'text' | 'truth' | 'list' | 'block' | 'statements', Words>
>((tie) => {
  const [number, text, truth, any, list] = [tie('number'), tie('text'), tie('truth'), tie('any'), tie('list')]
  /** A function with parameters, whose names may be known already. */
  const walker = fc
    .tuple(
      some(['x'], ['x', ',', 'i'], ['n'], ['a'], [], ['x', ',', 'x']),
      some('function', '=>', '=> block'),
      any,
      tie('statements'),
      some(['return'], ['return', 'x'], ['return', 'x', ';'], []),
    )
    .map(([names, form, value, steps, end]) => {
      if (form === '=>') return ['(', ...names, ')', '=>', ...value]
      const block = ['{', ...steps, ...end, '}']
      return form === 'function' ? ['function', '(', ...names, ')', ...block] : ['(', ...names, ')', '=>', ...block]
    })
  const walked = (methods: readonly string[]): fc.Arbitrary<Words> =>
    joined(
      list,
      '.',
      some(...methods).map((method) => [method]),
      '(',
      walker,
      ')',
    )
  const operation = (left: fc.Arbitrary<Words>, signs: string, right: fc.Arbitrary<Words>): fc.Arbitrary<Words> =>
    fc.tuple(left, some(...signs.split(' ')), right).map(([before, sign, after]) => [...before, sign, ...after])
  const member = some(...keys).map((key) => (/^[a-z_]+$/i.test(key) ? ['.', key] : ['[', `"${key}"`, ']']))
  const header = fc
    .tuple(some('valueOf', 'valuesOf'), some('content-type', 'X-One', 'x-ONE', 'Set-Cookie', 'none', 'X-Odd'))
    .map(([method, name]) => ['response', '.', 'headers', '.', method, '(', `"${name}"`, ')'])
  const choice = (value: fc.Arbitrary<Words>): fc.Arbitrary<Words> => joined(truth, '?', value, ':', value)
  const bracketed = (value: fc.Arbitrary<Words>): fc.Arbitrary<Words> => joined('(', value, ')')
  return {
    number: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 5, arbitrary: some(...numbers).map((word) => [word]) },
      { weight: 2, arbitrary: words('response', '.', 'status') },
      { weight: 1, arbitrary: words('n') },
      { weight: 4, arbitrary: operation(number, '+ - * / %', number) },
      { weight: 1, arbitrary: joined('-', number) },
      { weight: 1, arbitrary: bracketed(number) },
      { weight: 1, arbitrary: joined(bracketed(text), '.', 'length') },
      { weight: 1, arbitrary: choice(number) },
      { weight: 2, arbitrary: joined(some(['Number'], ['parseInt'], ['parseFloat']), '(', any, ')') },
      { weight: 1, arbitrary: joined('parseInt', '(', text, ',', '10', ')') },
      { weight: 1, arbitrary: joined(list, '.', some(['length'], ['indexOf', '(', '2', ')'])) },
    ),
    list: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: joined('[', any, ',', any, ']') },
      { weight: 3, arbitrary: some([1, 2, 3], [0]).map((values) => [JSON.stringify(values)]) },
      { weight: 1, arbitrary: words('response', '.', 'body', '.', 'tags') },
      { weight: 1, arbitrary: walked(['map', 'filter']) },
      { weight: 1, arbitrary: joined(bracketed(text), '.', 'split', '(', text, ')') },
      { weight: 1, arbitrary: joined('Object', '.', 'keys', '(', any, ')') },
    ),
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: some(...strings).map(quoted) },
      { weight: 1, arbitrary: words('t') },
      { weight: 1, arbitrary: joined('typeof', any) },
      { weight: 2, arbitrary: operation(text, '+', fc.oneof(text, number, truth)) },
      { weight: 1, arbitrary: joined('JSON', '.', 'stringify', '(', any, ')') },
      { weight: 1, arbitrary: bracketed(text) },
      { weight: 2, arbitrary: joined('String', '(', any, ')') },
      { weight: 1, arbitrary: joined(list, '.', 'join', '(', text, ')') },
      {
        weight: 2,
        arbitrary: joined(bracketed(text), '.', some(['slice'], ['substring']), '(', number, some([], [',', '2']), ')'),
      },
      { weight: 1, arbitrary: joined(bracketed(text), '.', 'replace', '(', text, ',', text, ')') },
      {
        weight: 1,
        arbitrary: joined(
          bracketed(text),
          '[',
          some('0', '1', '9').map((index) => [index]),
          ']',
        ),
      },
      {
        weight: 2,
        arbitrary: joined(bracketed(text), '.', some(['trim'], ['toLowerCase'], ['toUpperCase']), '(', ')'),
      },
      {
        weight: 3,
        arbitrary: fc
          .tuple(some('', 'a', '$', '{}', '\n', 'ä'), fc.oneof(number, text, truth), some('', ' }', '$', '//'))
          .map(([before, inner, after]) => [`\`${before}\${${inner.join(' ')}}${after}\``]),
      },
    ),
    truth: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 1, arbitrary: some(['true'], ['false']) },
      { weight: 2, arbitrary: operation(number, '< > <= >= == != === !==', number) },
      { weight: 2, arbitrary: operation(text, '< > <= >= == != === !==', text) },
      { weight: 2, arbitrary: operation(any, '=== !==', any) },
      { weight: 1, arbitrary: operation(any, '== !=', some(['null'], ['undefined'])) },
      { weight: 1, arbitrary: joined('!', any) },
      {
        weight: 2,
        arbitrary: joined(
          bracketed(text),
          '.',
          some(['includes'], ['startsWith'], ['endsWith'], ['indexOf'], ['lastIndexOf']),
          '(',
          text,
          ')',
        ),
      },
      { weight: 1, arbitrary: joined(list, '.', 'includes', '(', any, ')') },
      { weight: 1, arbitrary: walked(['some', 'every']) },
      { weight: 1, arbitrary: joined(some(['Array', '.', 'isArray'], ['Boolean']), '(', any, ')') },
      { weight: 1, arbitrary: joined('response', '.', 'body', '.', 'hasOwnProperty', '(', text, ')') },
    ),
    any: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: words('response', '.', 'body') },
      { weight: 4, arbitrary: joined('response', '.', 'body', member) },
      { weight: 1, arbitrary: joined('response', '.', 'body', member, member) },
      { weight: 2, arbitrary: number },
      { weight: 2, arbitrary: text },
      { weight: 2, arbitrary: truth },
      { weight: 1, arbitrary: some(['null'], ['undefined'], ['a'], ['b']) },
      { weight: 2, arbitrary: operation(any, '&& || && || + - < == ?? **', any) },
      { weight: 2, arbitrary: list },
      { weight: 2, arbitrary: walked(['map', 'filter', 'find', 'findIndex', 'forEach', 'reduce']) },
      {
        weight: 1,
        arbitrary: joined(
          'response',
          '.',
          'body',
          '?.',
          some(...keys).map((key) => [key]),
          member,
        ),
      },
      { weight: 1, arbitrary: joined(bracketed(any), '?.', some(['length'], ['id'], ['[', '0', ']'])) },
      { weight: 1, arbitrary: choice(any) },
      { weight: 1, arbitrary: header },
      { weight: 1, arbitrary: some('mimeType', 'charset').map((key) => ['response', '.', 'contentType', '.', key]) },
      { weight: 1, arbitrary: joined('JSON', '.', 'parse', '(', text, ')') },
      {
        weight: 1,
        arbitrary: some('old', 'a', 'b', 'toString').map((key) => [
          'client',
          '.',
          'global',
          '.',
          'get',
          '(',
          `"${key}"`,
          ')',
        ]),
      },
    ),
    block: joined('{', tie('statements'), '}'),
    statements: fc
      .array(
        fc.oneof(
          { depthSize: 'small', withCrossShrink: true },
          { weight: 6, arbitrary: log(any) },
          { weight: 2, arbitrary: log(any, any) },
          {
            weight: 2,
            arbitrary: joined(
              some(['const'], ['let'], ['var']),
              some(['a'], ['c'], ['text'], ['json'], ['get']),
              '=',
              any,
            ),
          },
          {
            weight: 3,
            arbitrary: joined('client', '.', 'global', '.', 'set', '(', some(['"a"'], ['"b"'], ['1']), ',', any, ')'),
          },
          { weight: 1, arbitrary: joined('client', '.', 'assert', '(', truth, ',', any, ')') },
          { weight: 1, arbitrary: any },
          { weight: 1, arbitrary: joined('if', '(', any, ')', tie('block')) },
          { weight: 1, arbitrary: joined('if', '(', any, ')', log(any), some([';'], ['\n'], []), 'else', log(any)) },
          {
            weight: 2,
            arbitrary: joined('for', '(', 'const', some(['x'], ['a'], ['n']), 'of', list, ')', tie('block')),
          },
          { weight: 1, arbitrary: walked(['forEach', 'map']) },
          { weight: 1, arbitrary: joined('return', some([], ['n'])) },
          { weight: 1, arbitrary: joined('if', '(', any, ')', tie('block'), 'else', tie('block')) },
          {
            weight: 2,
            arbitrary: joined(
              'client.test(',
              some(['"t"'], ['t'], ['`u${n}`']),
              ',',
              some(['function', '(', ')'], ['(', ')', '=>']),
              tie('block'),
              ')',
            ),
          },
          { weight: 1, arbitrary: joined('client', '.', 'test', '(', '"v"', ',', '(', ')', '=>', any, ')') },
        ),
        { maxLength: 3 },
      )
      .chain((list) =>
        fc
          .array(some([';'], ['\n'], ['\n'], [';', '\n']), { minLength: list.length, maxLength: list.length })
          .map((ends) => list.flatMap((statement, index) => [...statement, ...(ends[index] as Words)])),
      ),
  }
})

/** Between two words, now and then. */
const gaps = ['\n', '\n', '/* } */', '// }\n', '/* \n */', '\t', '\u00a0', ';', "// it's `\n", '']

/** Names that have a value everywhere. */
const beginning = fc
  .tuple(some(...numbers), some(...strings), any)
  .map(([n, t, b]) => [
    ...['const', 'n', '=', n, ';'],
    ...['let', 't', '=', ...quoted(t), ';'],
    ...['let', 'b', '=', ...b, ';'],
  ])

const code = fc
  .tuple(
    joined(beginning, statements),
    fc.array(fc.tuple(fc.nat(), some(...gaps)), { maxLength: 1 }),
    fc.constantFrom('\n', '\n', '\r\n', '\r'),
  )
  .map(([list, inserted, lineEnd]) => {
    const gapped = list.map((word) => ` ${word}`)
    for (const [place, gap] of inserted) {
      const at = list.length === 0 ? 0 : place % list.length
      gapped[at] = `${gap}${list[at] ?? ''}`
    }
    return gapped.join('').replaceAll('\n', lineEnd)
  })

export const plainPrograms: fc.Arbitrary<PlainProgram> = fc
  .tuple(code, answer, fc.option(jsonValue))
  .map(([text, { mimeType, body }, old]) => ({
    code: text,
    mimeType,
    headers: [
      ['X-One', '1'],
      ['x-one', ' 2\t3'],
      ['X-Odd', 'Z\u00c3\u00ab'],
      ['Set-Cookie', 'a=b; Path=/'],
      ['set-cookie', 'c=d'],
    ],
    body,
    globals: old === null ? {} : { old },
  }))
