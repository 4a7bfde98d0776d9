/**
 * Vectors that hide a request behind a Content-Length that two readers read as two numbers.
 *
 * RFC 9112 section 6.3, RFC 9110 section 8.6.
 */
import { hidden, quoted, type Vector, vector } from './smuggling-rows.ts'

/** Ways to write a length so that readers see different numbers. */
const lengthValues: readonly string[] = [
  ...[
    '+5',
    '-5',
    '-0',
    '+0',
    '5 5',
    '5 ,',
    '5,',
    ',5',
    '5,5',
    '5, 5',
    '5,6',
    '5;5',
    '5:5',
    '5.',
    '5.0',
    '5e0',
    '5e1',
    '0x5',
    '0X5',
    '0b101',
    '0o5',
  ],
  ...[
    '5_0',
    "5'0",
    '5h',
    'h5',
    '"5"',
    "'5'",
    '(5)',
    '[5]',
    '{5}',
    '5\\',
    '5/1',
    '5*1',
    '5+0',
    '5 0',
    '5\t0',
    '\x0b5',
    '5\x0b',
    '\x0c5',
    '5\x0c',
  ],
  ...[
    '\x005',
    '5\0',
    '5\x01',
    '\xa05',
    '5\xa0',
    '\x855',
    '\xb2',
    '\xd9\xa5',
    '\xef\xbc\x95',
    '5\xff',
    'five',
    'NaN',
    'Infinity',
    'null',
    'true',
    '',
    ' ',
    '\t',
    ',',
  ],
  ...[
    '18446744073709551616',
    '18446744073709551621',
    '9223372036854775808',
    '4294967296000000000',
    '9007199254740992',
    '99999999999999999999999999',
  ],
]

export const lengthVectors: Readonly<Record<string, readonly Vector[]>> = {
  'lengths that are read differently': [
    ...lengthValues.map((value) => vector(quoted(value), [`Content-Length: ${value}`], hidden)),
    ...lengthValues.map((value) =>
      vector(
        `${quoted(value)} behind a right one`,
        ['Content-Length: 5', `Content-Length: ${value}`],
        `hello${hidden}`,
      ),
    ),
    vector('two different ones', ['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden),
    vector('two that are the same', [`Content-Length: ${hidden.length}`, `Content-Length: ${hidden.length}`], hidden),
    vector('a blank before the colon', [`Content-Length : ${hidden.length}`], hidden),
    vector('a folded one', ['Content-Length:', ` ${hidden.length}`], hidden),
    vector('one in a folded line', ['X: y', ` Content-Length: ${hidden.length}`], hidden),
    vector('one behind a CR', [`X: y\rContent-Length: ${hidden.length}`], hidden),
    vector('one behind an LF', [`X: y\nContent-Length: ${hidden.length}`], hidden),
    vector('one behind NUL', [`X: y\0Content-Length: ${hidden.length}`], hidden),
  ],
}
