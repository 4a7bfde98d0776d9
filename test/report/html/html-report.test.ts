/** The report page, read as a tree: what is where, and that nothing gets in. */

import { createHash } from 'node:crypto'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { htmlReport } from '../../../src/report/html/html-report.ts'
import type { RunRecord } from '../../../src/report/record/run-record.ts'
import { SomeError } from '../../helpers/some-error.ts'
import { assertionError, connectError, identity, recordOf, requestEvents } from '../events.ts'

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']

function pageOf(record: RunRecord): { readonly text: string; readonly elements: readonly Element[] } {
  const text = [...htmlReport(record)].join('')
  const problems: string[] = []
  const document = parse(text, { onParseError: ({ code }) => problems.push(code) })
  expect(problems).toEqual([])
  return { text, elements: elementsIn(document) }
}

function elementsIn(node: Node): readonly Element[] {
  const own = 'tagName' in node ? [node] : []
  const children = 'childNodes' in node ? node.childNodes.flatMap(elementsIn) : []
  return [...own, ...children]
}

function textIn(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(textIn).join('') : ''
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value

const hostile = `</style></script><img src=x onerror=alert(1)>"'&amp;<!--`

const mixed = recordOf([
  {
    job: { environment: 'dev' },
    events: [
      ...requestEvents(identity({ name: 'Fine', tags: ['smoke'] }), 'passed', [
        { status: 200 },
        { test: 'has a token' },
      ]),
      ...requestEvents(identity({ number: 2, name: 'Bad' }), 'failed', [
        { status: 500 },
        { test: 'status', error: assertionError },
      ]),
      ...requestEvents(identity({ number: 3, name: 'Down' }), 'error', [
        { retry: 'no answer' },
        { error: connectError },
      ]),
      { type: 'request-skipped', request: identity({ number: 4, name: 'Later' }), reason: 'bail' },
    ],
  },
])

describe('the report page', () => {
  const page = pageOf(mixed)
  const having = (name: string, content: RegExp): readonly Element[] =>
    page.elements.filter(({ tagName, ...element }) => tagName === name && content.test(textIn(element as Element)))

  it('reports the outcome in its first lines', () => {
    expect(textIn(having('title', /./)[0] as Element)).toBe('Failed: a.http')
    expect(textIn(having('p', /of 4 requests/)[0] as Element)).toBe(
      'Failed: 1 failed, 1 not answered, 1 skipped, of 4 requests',
    )
    expect(textIn(having('p', /UTC/)[0] as Element)).toMatch(
      /^2026-11-21 10:33:10 UTC, \d+(?: ms|\.\d+ s), environment dev$/,
    )
  })

  it('shows failures first and expanded, the rest collapsed, each once', () => {
    const details = page.elements.filter((element) => attribute(element, 'class')?.startsWith('request ') === true)
    const reported = details.map((each) => {
      const title = elementsIn(each).find((element) => attribute(element, 'class') === 'title') as Element
      return `${textIn(title)} | ${attribute(each, 'open') === undefined ? 'closed' : 'open'}`
    })
    expect(reported).toEqual([
      'BadGET {{host}}/x | open',
      'Down (attempt 2)GET {{host}}/x | open',
      'FineGET {{host}}/x | closed',
      'LaterGET {{host}}/x | closed',
    ])
  })

  it('links from the list to the failures', () => {
    const links = page.elements.filter(({ tagName }) => tagName === 'a').map((link) => attribute(link, 'href') ?? '')
    const ids = new Set(page.elements.flatMap((element) => attribute(element, 'id') ?? []))
    // One in the list for each request that failed, one in the timeline for each exchange.
    expect(links).toHaveLength(4)
    for (const link of links) expect(ids).toContain(link.slice(1))
  })

  it.each([
    [/^status 500\nnot 200$/, 'p'],
    [/client\.assert\(x\)/, 'pre'],
    [/^at a\.http:7:3$/, 'p'],
    [/^check that the server is running\.$/, 'p'],
    [/^attempt 1: no answer$/, 'dd'],
    [/^smoke$/, 'dd'],
    [/^500 Some Reason$/, 'dd'],
    [/^http:\/\/h\/x$/, 'dd'],
    [/^1\.2 kB$/, 'dd'],
    [/^not started, because of a failure before it \(--bail\)$/, 'dd'],
    [/DNS 1\.2 ms, connect 2\.0 ms, TLS 3\.0 ms, send 0\.5 ms, wait 3\.5 ms, receive 6\.0 ms/, 'dd'],
    [/^127\.0\.0\.1 port 80$/, 'dd'],
    [/^GET \/x HTTP\/1\.1\nContent-Length: 0\nX-A: b$/, 'pre'],
    [/^HTTP\/1\.1 500 Some Reason\nContent-Length: 0\nX-A: b$/, 'pre'],
  ])('has %s', (content, name) => {
    expect(having(name, content).length).toBeGreaterThan(0)
  })

  it('loads nothing, and allows only its own style and script', () => {
    const policy = page.elements.find((element) => attribute(element, 'http-equiv') === 'Content-Security-Policy')
    const digests = ['style', 'script'].map((name) => {
      const own = page.elements.filter(({ tagName }) => tagName === name)
      expect(own).toHaveLength(1)
      return `${name}-src 'sha256-${createHash('sha256')
        .update(textIn(own[0] as Element))
        .digest('base64')}'`
    })
    expect(attribute(policy as Element, 'content')?.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", ...digests]),
    )
    const addresses = page.elements.flatMap((each) => [attribute(each, 'src') ?? '', attribute(each, 'href') ?? ''])
    expect(addresses.filter((address) => address !== '' && !/^(#|data:)/.test(address))).toEqual([])
    expect(page.elements.some((element) => attribute(element, 'style') !== undefined)).toBe(false)
  })

  it('lets no text of a file, a server or a script become markup', () => {
    const error = new SomeError('test-failed', hostile, {
      hint: hostile,
      excerpt: hostile,
      where: { file: hostile, line: 1, column: 1 },
    })
    const request = identity({ name: hostile, method: hostile, target: hostile, file: hostile, tags: [hostile] })
    const happenings = [{ log: hostile }, { retry: hostile }, { test: hostile, error }, { script: error }, { error }]
    const job = {
      job: { path: hostile, environment: hostile },
      events: [
        { type: 'warning', error } as const,
        ...requestEvents(request, 'failed', [{ status: 200, url: hostile }, ...happenings]),
        { type: 'error', request: undefined, error } as const,
      ],
    }
    const { elements, text } = pageOf(recordOf([job, job], { failure: error }))
    expect(elements.filter(({ tagName }) => tagName === 'img')).toEqual([])
    expect(elements.filter(({ tagName }) => tagName === 'script')).toHaveLength(1)
    expect(text.match(/onerror=alert/g)?.length).toBeGreaterThan(20)
  })

  it('shows control characters and direction marks by their code', () => {
    const { text } = pageOf(recordOf([{ events: requestEvents(identity({ name: 'a\u0000\u001b\u202eb' }), 'passed') }]))
    expect(text).toContain('a\\x00\\x1B\\u{202E}b')
  })

  it.each<[string, RunRecord, RegExp]>([
    ['nothing was sent', recordOf([{ events: [] }]), /No request was sent/],
    ['all passed', recordOf([{ events: requestEvents(identity(), 'passed') }]), /<title>Passed: a\.http/],
    ['the run was interrupted', recordOf([], { isInterrupted: true }), /The run ended early\./],
    ['a defect ended the run', recordOf([], { failure: new Error('broken') }), /ended early: broken\./],
    [
      'a file failed outside of its requests',
      recordOf([{ events: [{ type: 'error', request: undefined, error: connectError }] }]),
      /<title>Failed: a\.http/,
    ],
  ])('says that %s', (_, record, content) => {
    expect(pageOf(record).text).toMatch(content)
  })

  it('shows the empty line at the start of a text', () => {
    const log = '\n\n  first'
    const record = recordOf([{ events: requestEvents(identity(), 'passed', [{ log }]) }])
    const texts = pageOf(record)
      .elements.filter(({ tagName }) => tagName === 'pre')
      .map(textIn)
    expect(texts).toEqual([log])
  })

  it('has a section for each of several jobs', () => {
    const jobs = [1, 2].map((number) => ({
      job: { path: `${number}.http`, pass: { number, of: 2 } },
      events: requestEvents(identity(), 'passed'),
    }))
    const { elements } = pageOf(recordOf(jobs))
    const titles = elements.filter(({ tagName }) => tagName === 'h2').map(textIn)
    expect(titles).toEqual([
      expect.stringMatching(/^1\.http \(pass 1 of 2\) 1 request, /),
      expect.stringMatching(/^2\.http \(pass 2 of 2\) 1 request, /),
    ])
  })
})
