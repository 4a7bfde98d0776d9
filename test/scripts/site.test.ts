/** The parts of the documentation site that need no browser: navigation, headings, ranking of the search, pictures. */
import { describe, expect, it } from 'vitest'
import { contentOf } from '../../scripts/site/content.ts'
import { assertNavigationMatches } from '../../scripts/site/navigation.ts'
import { createSearch, type SearchPage } from '../../scripts/site/search-ranking.ts'
import { terminalPicture } from '../../scripts/site/terminal-picture.ts'

const nothing = new Map<string, never>()

describe('the navigation', () => {
  const order = ['README.md', 'docs/send.md']

  it('accepts the documents that it lists', () => {
    expect(() => assertNavigationMatches(order, order)).not.toThrow()
  })

  it.each([
    [[...order, 'docs/new.md'], order, 'missing in the navigation: docs/new.md'],
    [['README.md'], order, 'not found: docs/send.md'],
    [order, [...order, 'README.md'], 'listed twice: README.md'],
  ])('refuses %j for %j', (documents, listed, message) => {
    expect(() => assertNavigationMatches(documents, listed)).toThrow(message)
  })
})

describe('a document', () => {
  it.each([
    ['## Second\n', 'the heading "Second" has level 2, expected level 1'],
    ['# One\n\n### Three\n', 'the heading "Three" has level 3, expected a level from 2 to 2'],
    ['# One\n\n# Other\n', 'the heading "Other" has level 1'],
    ['text\n', 'expected a heading "# …"'],
  ])('with wrong headings is refused: %j', (text, message) => {
    expect(() => contentOf('docs/a.md', text)).toThrow(message)
  })

  it('gets its description from its first paragraph', () => {
    expect(contentOf('docs/a.md', '# A\n\nSays `what` it\nis.\n\nMore.\n').outline.description).toBe('Says what it is.')
    expect(contentOf('docs/a.md', '# A\n\n## B\n\nText.\n\n## C\n').outline.description).toBe('A: B, C')
  })

  it('shows the title of a page if a link has only its path', () => {
    const other = contentOf('docs/b.md', '# The other `page`\n\n## A part\n').outline
    const text = '# A\n\n[b.md](b.md), [b.md](b.md#a-part), [this](b.md), [src/x.ts](../src/x.ts)\n'
    const html = contentOf('docs/a.md', text).html(new Map([['docs/b.md', other]]), nothing)
    expect(html).toContain('<a href="b.html">The other page</a>')
    expect(html).toContain('<a href="b.html#a-part">A part</a>')
    expect(html).toContain('<a href="b.html">this</a>')
    expect(html).toContain('<span>src/x.ts</span>')
  })

  it('with an unknown picture is refused', () => {
    const content = contentOf('docs/a.md', '# A\n\n<!-- picture: none -->\n')
    expect(() => content.html(nothing, nothing)).toThrow('the picture "none" is not in')
  })
})

describe('the search', () => {
  const page = (path: string, title: string, text: string, heading: string, weight = 1): SearchPage => ({
    path,
    title,
    weight,
    sections: [
      { anchor: 'top', heading: title, text: '' },
      { anchor: 'part', heading, text },
    ],
  })
  const search = createSearch([
    page('text.html', 'First', 'retries, retries and retries of what failed', 'Part'),
    page('heading.html', 'Second', 'how often', 'Retries'),
    page('title.html', 'Retries', 'everything on waiting', 'More'),
    page('api.html', 'Third', 'retries', 'Part', 0.2),
  ])

  it('ranks titles above headings above text, and pages of lower weight last', () => {
    expect(search('retries').map(({ href }) => href)).toEqual([
      'title.html',
      'heading.html#part',
      'text.html#part',
      'api.html#part',
    ])
  })

  it('finds prefixes of words, and all words of the query', () => {
    expect(search('retr fail').map(({ href }) => href)).toEqual(['text.html#part'])
  })

  it('finds similar words only if no word matches', () => {
    expect(search('waitng')[0]?.href).toBe('title.html#part')
    expect(search('zzzz')).toEqual([])
  })
})

describe('a terminal screenshot', () => {
  it('has the text of each line, with colours as classes', () => {
    const svg = terminalPicture('$ httpcli a <b\n\x1b[32mHTTP/1.1 200 OK\x1b[39m\r\n\r\nx & y\n', 'A "caption"')
    expect(svg).toContain('<tspan class="bold">httpcli a &lt;b</tspan>')
    expect(svg).toContain('<tspan class="green">HTTP/1.1 200 OK</tspan></text>')
    expect(svg).toContain('>x &amp; y</text>')
    expect(svg).toContain('A &quot;caption&quot;')
    expect(svg.match(/<text /g)).toHaveLength(4)
  })

  it.each(['\x1b[95mx', '\x1b[2Kx', '\x1b]0;x'])('refuses a control sequence that it cannot show: %j', (text) => {
    expect(() => terminalPicture(text, 'c')).toThrow('unknown')
  })
})
