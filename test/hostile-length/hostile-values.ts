/** Texts that backtracking, repeated searches and repeated copies take long for, for any reader of text. */
import type { Hostile } from './growth.ts'

const marks = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/** The text that each value repeats. */
const units: readonly string[] = [
  ...marks,
  ...[' ', '\t', 'a', 'Z', '0', 'é', '\n', '\r\n', '\r', '\u2028'],
  ...['a ', 'a,', 'a=', 'a;', 'a:', 'a.', 'a-', 'a/', 'a\n', 'a\r\n', ', ', '; ', ': ', '\n ', '\n\n', ' \n', ' \t'],
  ...['a=b;', 'a="', '="', '\\"', '"\\', '"a"', "'a'", '""', "''", '",', '"a', '%2', '%20', '{{', '}}', '{{a', '{{a}}'],
  ...[
    '<a',
    '</',
    '<!--',
    '<a>',
    '<a b="',
    '&a',
    '&#',
    '[1',
    '[]',
    '{}',
    '()',
    '((',
    '../',
    '/a',
    '//',
    '/*',
    '*/',
    '##',
  ],
  ...[
    'a(',
    '${',
    '`$',
    '{%',
    '%}',
    '@a',
    '# ',
    '###\n',
    '# @a\n',
    '> ',
    '< ',
    '"a":',
    '[{',
    '{"a":',
    '- ',
    '-\n',
    '|',
    'a|',
  ],
]

/** How they end: with what fits nothing that came before, so that a reader that can go back does. */
const END = 'x\u0001'

export interface HostileValue {
  readonly name: string
  readonly make: Hostile
}

/** `prefix` is what a value of the reader begins with, so that the repeated part is reached. */
export function hostileValues(prefix: string): readonly HostileValue[] {
  return units.map((unit) => ({
    name: `${JSON.stringify(prefix)} and ${JSON.stringify(unit)} again and again`,
    make: repeated(prefix, unit, END),
  }))
}

/** One unit repeated between two texts. */
export function repeated(prefix: string, unit: string, end: string = ''): Hostile {
  return (length) => prefix + unit.repeat(Math.ceil(length / unit.length)) + end
}

/** Units that differ from each other. */
export function numbered(prefix: string, unit: (index: number) => string, end: string = ''): Hostile {
  return (length) => {
    const units: string[] = []
    for (let size = 0; size < length; size += units.at(-1)?.length ?? 1) units.push(unit(units.length))
    return prefix + units.join('') + end
  }
}
