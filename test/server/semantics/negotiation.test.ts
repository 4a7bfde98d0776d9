import { describe, expect, it } from 'vitest'
import { rankVariants } from '../../../src/server/semantics/negotiation.ts'

const html = { name: 'a.html', mediaType: 'text/html; charset=utf-8' }
const json = { name: 'a.json', mediaType: 'application/json' }
const text = { name: 'a.txt', mediaType: 'text/plain; charset=utf-8' }
const xml = { name: 'a.xml', mediaType: 'application/xml' }
const script = { name: 'a.js', mediaType: 'text/javascript; charset=utf-8' }
const levelled = { name: 'a.l1', mediaType: 'text/html; level=1' }
const all = [xml, text, json, html]

const best = (accept: string | undefined, variants = all) => rankVariants(accept, variants)[0]?.name

describe('rankVariants', () => {
  it.each([
    ['no field at all: the first name', undefined, 'a.html'],
    ['an empty field says nothing', '', 'a.html'],
    ['an exact type', 'application/json', 'a.json'],
    ['case does not matter', 'Application/JSON', 'a.json'],
    ['the higher weight', 'text/html;q=0.5, application/json;q=0.8', 'a.json'],
    ['no weight is 1', 'text/html;q=0.9, text/plain', 'a.txt'],
    ['equal weights: the order of the field', 'application/xml, text/html', 'a.xml'],
    ['equal weights by one range: the order of the names', 'text/*', 'a.html'],
    ['everything: the order of the names', '*/*', 'a.html'],
    ['a wildcard after an exact type', '*/*;q=0.1, application/xml', 'a.xml'],
    ['q=0 excludes the type', 'text/html;q=0, */*', 'a.json'],
    ['q=0 excludes a whole tree', 'text/*;q=0, */*;q=0.1', 'a.json'],
    ['the more specific range wins over the higher weight', 'text/*;q=1, text/html;q=0.1', 'a.txt'],
    ['the more specific range wins in any order', 'text/html;q=0.1, text/*;q=1', 'a.txt'],
    ['nothing acceptable: the first name', 'image/png', 'a.html'],
    ['all excluded: the first name', '*/*;q=0', 'a.html'],
    ['a named type among excluded ones', '*/*;q=0, application/xml', 'a.xml'],
    ['a weight with blanks', 'text/html ; q=0.1 , text/plain ; q=0.2', 'a.txt'],
    ['a weight in capitals', 'text/html;Q=0.1, text/plain;Q=0.2', 'a.txt'],
    ['three digits', 'text/html;q=0.998, text/plain;q=0.999', 'a.txt'],
    ['an element with a broken weight is skipped', 'text/html;q=7, text/plain;q=0.1', 'a.txt'],
    ['an element that is not a range is skipped', 'html, */, text/plain;q=0.1', 'a.txt'],
    ['empty elements are skipped', ', ,text/plain,', 'a.txt'],
    ['the charset that the type has', 'text/plain;charset=utf-8', 'a.txt'],
    ['the charset in quotes and capitals', 'text/plain;charset="UTF-8"', 'a.txt'],
    ['a charset that the type has not', 'text/plain;charset=latin1, text/html;q=0.1', 'a.html'],
    ['a charset for a type that names none', 'application/json;charset=utf-8', 'a.json'],
    ['a quoted comma is not a separator', 'text/html;x="a,application/json", text/plain;q=0.5', 'a.txt'],
    ['the older name of XML', 'text/xml', 'a.xml'],
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'a.html'],
    ['a subtype wildcard without a type matches nothing', '*/json, text/plain;q=0.1', 'a.txt'],
    ['names of Object.prototype are not types', 'constructor/prototype, text/plain;q=0.1', 'a.txt'],
  ])('%s', (_, accept, name) => {
    expect(best(accept)).toBe(name)
  })

  it('matches JavaScript under its older names', () => {
    expect(best('application/javascript', [html, script])).toBe('a.js')
    expect(best('application/x-javascript', [html, script])).toBe('a.js')
  })

  it('prefers the range whose parameters match the type', () => {
    expect(best('text/html;q=0.5, text/html;level=1;q=0.9', [html, levelled])).toBe('a.l1')
  })

  it('does not match a range with a parameter that the type lacks', () => {
    expect(best('text/html;level=2, text/plain;q=0.1', [levelled, text])).toBe('a.txt')
  })

  it('orders names by code units, not by locale', () => {
    const names = ['a.b', 'a.B', 'a.ä', 'a.1'].map((name) => ({ name, mediaType: 'text/plain' }))
    expect(rankVariants(undefined, names).map(({ name }) => name)).toEqual(['a.1', 'a.B', 'a.b', 'a.ä'])
  })

  it('ranks all variants, so that the next one can be tried', () => {
    expect(rankVariants('application/json, text/*;q=0.5', all).map(({ name }) => name)).toEqual([
      'a.json',
      'a.html',
      'a.txt',
      'a.xml',
    ])
  })

  it('reads a bounded number of ranges', () => {
    const filler = Array.from({ length: 200 }, (_, index) => `x/y${index}`)
    expect(best([...filler, 'application/json'].join(','))).toBe('a.html')
    expect(best([...filler.slice(1), 'application/json'].join(','))).toBe('a.json')
  })

  it('does not reorder its input', () => {
    const given = Object.freeze([xml, html])
    rankVariants('text/html', given)
    expect(given).toEqual([xml, html])
  })
})
