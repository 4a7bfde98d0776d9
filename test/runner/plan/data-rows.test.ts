/** Rows of data files. */
import { afterAll, describe, expect, it } from 'vitest'
import { InvalidFileError } from '../../../src/runner/index.ts'
import { readDataRows } from '../../../src/runner/plan/data-rows.ts'
import { directoryWith } from '../../helpers/temporary-directory.ts'

const directories: { remove(): void }[] = []
afterAll(() => {
  for (const directory of directories) directory.remove()
})

function rowsOf(name: string, content: string | Uint8Array): readonly Record<string, unknown>[] {
  const directory = directoryWith({ [name]: content })
  directories.push(directory)
  return readDataRows(name, directory.path).map((row) => Object.fromEntries(row))
}

/** `line:column message` of each. */
function errorsOf(name: string, content: string | Uint8Array): readonly string[] {
  try {
    rowsOf(name, content)
  } catch (error) {
    if (!(error instanceof InvalidFileError)) throw error
    return error.errors.map(({ where, message }) => `${where?.line}:${where?.column} ${message}`)
  }
  throw new Error('the file was taken')
}

describe('rows', () => {
  it.each<[string, string, string, Record<string, unknown>[]]>([
    ['of CSV are texts by the names of the first line', 'a.csv', 'id,zip\n1,01234\n', [{ id: '1', zip: '01234' }]],
    ['of CSV have names without blanks around', 'a.csv', 'id, name\n1, x\n', [{ id: '1', name: ' x' }]],
    ['of a JSON array are its objects', 'a.json', '[{"id":1},{"id":2}]', [{ id: 1 }, { id: 2 }]],
    [
      'of JSON keep types',
      'a.json',
      '[{"a":1,"b":true,"c":null,"d":[1],"e":{"f":"g"}}]',
      [{ a: 1, b: true, c: null, d: [1], e: { f: 'g' } }],
    ],
    [
      'of JSON keep digits that a number would lose',
      'a.json',
      '[{"id":12345678901234567890,"price":1.50}]',
      [{ id: '12345678901234567890', price: '1.50' }],
    ],
    ['of JSON lines are one a line', 'a.jsonl', '{"id":1}\n\n{"id":2}\r\n', [{ id: 1 }, { id: 2 }]],
    ['of JSON lines may be in a .json file', 'a.json', '{"id":1}\n{"id":2}\n', [{ id: 1 }, { id: 2 }]],
    ['may be a single object', 'a.json', '{\n "id": 1\n}', [{ id: 1 }]],
    ['are recognized where the name says nothing: JSON', 'data', ' [{"id":1}]', [{ id: 1 }]],
    ['are recognized where the name says nothing: CSV', 'data.txt', 'id\n1', [{ id: '1' }]],
    ['come after a byte order mark', 'a.csv', '\ufeffid\n1\n', [{ id: '1' }]],
    ['of JSON lines come after a byte order mark', 'a.ndjson', '\ufeff{"id":1}', [{ id: 1 }]],
    ['have the ending of their format in capitals, too', 'A.CSV', 'id\n1', [{ id: '1' }]],
  ])('%s', (_title, name, content, expected) => {
    expect(rowsOf(name, content)).toEqual(expected)
  })

  it('with a key such as __proto__ are ordinary rows', () => {
    const directory = directoryWith({ 'a.json': '[{"__proto__":"x"}]' })
    directories.push(directory)
    expect(readDataRows('a.json', directory.path)[0]?.get('__proto__')).toBe('x')
  })
})

describe('a file is refused, with the place,', () => {
  it.each<[string, string, string | Uint8Array, string[]]>([
    ['where it is empty', 'a.csv', '', ['1:1 the data file is empty']],
    ['where it is blank', 'a.jsonl', '\n \n', ['1:1 the data file is empty']],
    ['where it has names and no rows', 'a.csv', 'id,name\n', ['1:1 the data file has no rows']],
    ['where the array is empty', 'a.json', '[]', ['1:1 the data file has no rows']],
    [
      'where rows have too many or too few fields',
      'a.csv',
      'a,b\n1\n1,2\n1,2,3\n',
      ['2:1 the row has 1 field, but there are 2 columns', '4:1 the row has 3 fields, but there are 2 columns'],
    ],
    [
      'where quotes are wrong, each',
      'a.csv',
      'a,b\n1,"2"x\n3\n',
      ['2:3 text after the quote that closes a field', '3:1 the row has 1 field, but there are 2 columns'],
    ],
    ['where two columns have one name', 'a.csv', 'a,a\n1,2\n', ['1:1 two columns have the name "a"']],
    [
      'where keys are repeated, each, at any depth',
      'a.json',
      '[{"a": 1, "a": 2},\n{"b": {"c": 1,\n"c": 2}}]',
      [
        '1:11 the key "a" is repeated: column 3 of this line has it too',
        '3:1 the key "c" is repeated: column 8 of line 2 has it too',
      ],
    ],
    [
      'where a line has a key twice',
      'a.jsonl',
      '{"a": 1}\n{"a": 1, "a": 2}\n',
      ['2:10 the key "a" is repeated: column 2 of this line has it too'],
    ],
    ['where a column has no name', 'a.csv', 'a,\n1,2\n', ['1:1 column 2 has no name']],
    [
      'where the first line is wrong, and of that alone',
      'a.csv',
      'a"\n1,2\n',
      ['1:2 a quote inside a field that does not begin with one'],
    ],
    [
      'where columns are separated by semicolons',
      'a.csv',
      'a;b\n1;2\n',
      ['1:1 the columns are not separated by commas'],
    ],
    ['where JSON is broken', 'a.json', '[{"id":1},\n{"id":}]', ['2:7 expected a JSON value']],
    [
      'where a row is not an object',
      'a.json',
      '[{"id":1},\n[1], 5]',
      ['2:1 row 2 is not an object, found an array', '2:6 row 3 is not an object, found 5'],
    ],
    [
      'where lines of JSON are broken, each',
      'a.jsonl',
      '{"id":1}\n{"id"\n{"id":2}\n7\n',
      ['2:6 expected ":" after the key, found the end of the file', '4:1 the row is not an object, found 7'],
    ],
    ['where it is not UTF-8', 'a.csv', Buffer.from('id\n\xe9\n', 'latin1'), ['2:1 the byte 0xE9 is not UTF-8 text']],
  ])('%s', (_title, name, content, expected) => {
    expect(errorsOf(name, content)).toEqual(expected)
  })

  it('if it does not exist', () => {
    expect(() => readDataRows('nope.csv', '/')).toThrow('the data file nope.csv does not exist')
  })
})
