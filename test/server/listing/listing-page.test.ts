import { type DefaultTreeAdapterTypes, html, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import type { ListedEntry } from '../../../src/server/listing/listed-directory.ts'
import { defaultOrder, type ListingOrder } from '../../../src/server/listing/listing-order.ts'
import { formatSize, type ListingPage, renderListing } from '../../../src/server/listing/listing-page.ts'
import { listingStyle } from '../../../src/server/listing/listing-style.ts'
import { hostileNames } from '../../helpers/hostile-names.ts'

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.ChildNode

const page = (changes: Partial<ListingPage> = {}): string =>
  [
    ...renderListing({
      names: [],
      entries: [],
      isComplete: true,
      order: defaultOrder,
      scriptPath: undefined,
      offsetMinutesAt: () => 0,
      ...changes,
    }),
  ].join('')

const file = (name: string, sizeBytes = 5): ListedEntry => ({ name, type: 'file', sizeBytes, modifiedMs: 0 })
const directory = (name: string): ListedEntry => ({ name, type: 'directory', sizeBytes: 0, modifiedMs: 0 })

/** All elements of a page, in their order. A text that is not HTML is a failure. */
function elementsOf(text: string): readonly Element[] {
  const errors: string[] = []
  const document = parse(text, { onParseError: ({ code }) => errors.push(code) })
  expect(errors).toEqual([])
  const found: Element[] = []
  const walk = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      if (!('tagName' in node)) continue
      found.push(node)
      walk(node.childNodes)
    }
  }
  walk(document.childNodes)
  expect(found[0]?.namespaceURI).toBe(html.NS.HTML)
  return found
}

const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
const attribute = (element: Element, name: string) => element.attrs.find((attr) => attr.name === name)?.value
const links = (text: string) => elementsOf(text).filter(({ tagName }) => tagName === 'a')
const rowLinks = (text: string) => links(text).filter((link) => link.parentNode?.nodeName === 'td')

describe('the page of a directory', () => {
  it('links and shows each name, with any characters', () => {
    const shown = rowLinks(page({ entries: hostileNames.map((name) => file(name)) }))
    expect(shown).toHaveLength(hostileNames.length)
    for (const [index, name] of hostileNames.entries()) {
      const href = attribute(shown[index]!, 'href')!
      const url = new URL(href, 'http://host/sub/')
      expect([url.origin, url.search, url.hash]).toEqual(['http://host', '', ''])
      expect(decodeURIComponent(url.pathname)).toBe(`/sub/${name}`)
      expect(
        textOf(shown[index]!).replace(/\[U\+([0-9A-F]{4})\]/g, (_, code: string) => {
          return String.fromCharCode(Number.parseInt(code, 16))
        }),
      ).toBe(name)
    }
  })

  it.each<[string, (names: readonly string[]) => Partial<ListingPage>]>([
    ['as a file', (names) => ({ entries: names.map((name) => file(name)) })],
    ['as a directory', (names) => ({ entries: names.map(directory) })],
    ['as the path to it', (names) => ({ names })],
  ])('lets no name become an element or attribute: %s', (_, pageOf) => {
    const kinds = (names: readonly string[]) =>
      elementsOf(page(pageOf(names)))
        .filter((element) => attribute(element, 'class') !== 'code')
        .map(({ tagName, attrs }) => [tagName, ...attrs.map(({ name }) => name)].join(' '))
    expect(kinds(hostileNames)).toEqual(kinds(hostileNames.map(() => 'x')))
  })

  it('shows direction, invisible and line-break characters by their code', () => {
    const text = page({ names: ['\u202egnp.exe'], entries: [file('a\nb\u200b\x1b')] })
    expect(text).not.toMatch(/[\u202e\u200b\x1b]/)
    expect(text).toContain('<title>Index of /[U+202E]gnp.exe/</title>')
    expect(text).toContain('a<span class="code">[U+000A]</span>b')
  })

  it('is hidden from search engines, which see only one order', () => {
    const text = page({ order: { column: 'size', direction: 'desc' }, entries: [file('a.txt')] })
    expect(text).toContain('<meta name="robots" content="noindex, nofollow">')
    expect(page({ entries: [file('a.txt')] })).toContain('<meta name="robots" content="noindex">')
    expect(text).toContain('<link rel="canonical" href="./">')
    const sorting = text.match(/<th .*?<\/th>/g)!
    expect(sorting).toHaveLength(3)
    for (const link of sorting) expect(link).toContain(' rel="nofollow"')
  })

  it('isolates the text direction of every name', () => {
    expect(page({ entries: [file('עברית.txt')] })).toContain('>עברית.txt</a>')
    expect(listingStyle).toMatch(/tbody a\{[^}]*unicode-bidi:plaintext/)
  })

  it('links to every parent directory', () => {
    const text = page({ names: ['a', 'b c', 'd'] })
    const crumbs = links(text).filter((link) => link.parentNode?.nodeName === 'h1')
    const from = 'http://host/root/a/b%20c/d/'
    expect(crumbs.map((link) => [textOf(link), new URL(attribute(link, 'href')!, from).pathname])).toEqual([
      ['/', '/root/'],
      ['a/', '/root/a/'],
      ['b c/', '/root/a/b%20c/'],
    ])
    const current = elementsOf(text).find((element) => attribute(element, 'aria-current') === 'page')
    expect(current && textOf(current)).toBe('d/')
    expect(attribute(rowLinks(text)[0]!, 'href')).toBe('../')
  })

  it('has no parent link at the root', () => {
    expect(rowLinks(page())).toEqual([])
    expect(page()).toContain('This directory is empty.')
  })

  it('shows file sizes, and dates in local time', () => {
    const entries: ListedEntry[] = [
      { name: 'd', type: 'directory', sizeBytes: 0, modifiedMs: 0 },
      { name: 'f', type: 'file', sizeBytes: 1_234, modifiedMs: Date.UTC(2026, 10, 21, 23, 30) },
      { name: 'g', type: 'file', sizeBytes: 1, modifiedMs: 9e15 },
    ]
    const text = page({ entries, offsetMinutesAt: () => 60 })
    const cells = elementsOf(text).filter(({ tagName }) => tagName === 'td')
    expect(cells.map((cell) => [attribute(cell, 'title'), textOf(cell).trim()])).toEqual([
      [undefined, 'd/'],
      [undefined, ''],
      [undefined, '1970-01-01 01:00'],
      [undefined, 'f'],
      ['1234 bytes', '1.2 kB'],
      [undefined, '2026-11-22 00:30'],
      [undefined, 'g'],
      [undefined, '1 B'],
      [undefined, ''],
    ])
    expect(text).toContain('1 directory, 2 files, 1.2 kB.')
  })

  it('says so if it is incomplete', () => {
    expect(page({ entries: [file('a')] })).not.toContain('There are more')
    expect(page({ entries: [file('a')], isComplete: false })).toContain('There are more; they are not shown.')
  })

  it('loads an extra script if there is one', () => {
    expect(page()).not.toContain('<script src')
    expect(page({ scriptPath: '/"x' })).toContain('<script src="/&quot;x" async></script>')
  })
})

describe('the columns of the page', () => {
  it.each<[ListingOrder, readonly (readonly [string, string | undefined, string])[]]>([
    [
      { column: 'name', direction: 'asc' },
      [
        ['Name', 'ascending', './?sort=name&order=desc'],
        ['Size', undefined, './?sort=size&order=desc'],
        ['Modified', undefined, './?sort=date&order=desc'],
      ],
    ],
    [
      { column: 'size', direction: 'desc' },
      [
        ['Name', undefined, './'],
        ['Size', 'descending', './?sort=size&order=asc'],
        ['Modified', undefined, './?sort=date&order=desc'],
      ],
    ],
  ])('sort by links and state the order: %j', (order, expected) => {
    const headers = elementsOf(page({ order })).filter(({ tagName }) => tagName === 'th')
    const shown = headers.map((header) => {
      const [link] = header.childNodes.filter((node): node is Element => 'tagName' in node)
      return [textOf(header), attribute(header, 'aria-sort'), attribute(link!, 'href')]
    })
    expect(shown).toEqual(expected)
  })

  it('keep their order in links to directories, but not in links to files', () => {
    const text = page({
      names: ['up'],
      entries: [directory('d'), file('f')],
      order: { column: 'date', direction: 'asc' },
    })
    const query = '?sort=date&order=asc'
    expect(rowLinks(text).map((link) => attribute(link, 'href'))).toEqual([`../${query}`, `d/${query}`, 'f'])
  })
})

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [1_049, '1.0 kB'],
    [1_050, '1.1 kB'],
    [9_949, '9.9 kB'],
    [9_950, '10 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [2 ** 31, '2.1 GB'],
    [Number.MAX_SAFE_INTEGER, '9.0 PB'],
    [1e19, '10000 PB'],
  ])('of %d bytes is shown as %s', (sizeBytes, shown) => {
    expect(formatSize(sizeBytes)).toBe(shown)
  })
})
