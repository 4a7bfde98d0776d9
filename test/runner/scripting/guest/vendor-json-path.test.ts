/** Paths that RFC 9535 refuses and the vendor's engine takes. */
import { describe, expect, it } from 'vitest'
import { create } from '../../../../src/runner/scripting/guest/libraries/json-path-library.ts'

const { jsonPath } = create() as { jsonPath(value: unknown, path: string): unknown }

const store = {
  book: [
    { title: 'Sayings', category: 'reference', price: 8.95, tags: ['a'] },
    { title: 'Sword', category: 'fiction', price: 12.99, tags: ['a', 'b'] },
    { title: 'Moby', category: 'fiction', isbn: '0-553', price: 8.99, tags: [] },
  ],
  limit: 10,
  'a-b': { c: 'x' },
  numbers: [1, 2, 3, 4],
}

describe('jsonPath', () => {
  it.each<[string, unknown]>([
    ['$.book.length()', 3],
    ['$.book.size()', 3],
    ['$.book[0].title.length()', 7],
    ['$.numbers.sum()', 10],
    ['$.numbers.min()', 1],
    ['$.numbers.max()', 4],
    ['$.numbers.avg()', 2.5],
    ['$.numbers.stddev()', Math.sqrt(1.25)],
    ['$.numbers.first()', 1],
    ['$.numbers.last()', 4],
    ['$.numbers.index(-2)', 3],
    ['$.numbers.append(5)', [1, 2, 3, 4, 5]],
    ['$.numbers.concat("!")', '1234!'],
    ['$.book[*].price.max()', 12.99],
    ['$..price.sum()', 30.93],
    ['$.book[0].keys()', ['title', 'category', 'price', 'tags']],
    ['$.a-b.c', 'x'],
    ['$.gone.length()', undefined],
    ['$.book[?(@.title =~ /s.*/i)].title', ['Sayings', 'Sword']],
    ['$.book[?(@.title =~ /S/)].title', []],
    ["$.book[?(@.category in ['fiction', 'poetry'])].title", ['Sword', 'Moby']],
    ["$.book[?(@.category nin ['fiction'])].title", ['Sayings']],
    ['$.book[?(@.tags size 2)].title', ['Sword']],
    ['$.book[?(@.tags empty true)].title', ['Moby']],
    ["$.book[?(@.tags contains 'b')].title", ['Sword']],
    ["$.book[?(@.title contains 'ob')].title", ['Moby']],
    ["$.book[?(@.tags subsetof ['a', 'c'])].title", ['Sayings', 'Moby']],
    ["$.book[?(@.tags anyof ['b', 'c'])].title", ['Sword']],
    ["$.book[?(@.tags noneof ['b'])].title", ['Sayings', 'Moby']],
    ['$.book[?(@.tags.length() > 0 && !(@.price > 10))].title', ['Sayings']],
    ['$.book[?(@.price < $.limit && @.title =~ /M.*/)].title', ['Moby']],
    ['$..[?(@.isbn =~ /0-.*/)].title', ['Moby']],
    ['book.length()', 3],
  ])('%s', (path, wanted) => {
    expect(jsonPath(store, path)).toEqual(wanted)
  })

  it.each(['$.book[', '$.book.foo()', '$.book[?(@.a =~ )]', '$.a b', '$.book[?(@.a == 1]', '$[/(/]'])(
    'refuses %s',
    (path) => {
      expect(() => jsonPath(store, path)).toThrow('is not a JSONPath expression')
    },
  )
})
