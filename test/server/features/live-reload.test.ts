import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LiveReload } from '../../../src/server/features/live-reload.ts'
import { StreamBody } from '../../../src/server/semantics/answer-body.ts'
import { requestFor } from '../server-request.ts'

function start(prefix = ''): LiveReload {
  const live = new LiveReload({ prefix, instance: 'abc' })
  onTestFinished(() => live.close())
  return live
}

function streamOf(live: LiveReload): Readable {
  const body = live.answer(requestFor('/.httpcli/live'))?.body
  if (!(body instanceof StreamBody)) throw new Error('no stream')
  return body.stream
}

async function nextText(stream: Readable): Promise<string> {
  if (stream.readableLength === 0) await once(stream, 'readable')
  return String(stream.read())
}

describe('the stream of changes', () => {
  it('reports the version at once, and each new one', async () => {
    const live = start()
    const stream = streamOf(live)
    expect(await nextText(stream)).toBe('retry: 1000\ndata: abc-1 1\n\n')
    live.reload({ isOfStyles: false })
    expect(await nextText(stream)).toBe('data: abc-2 1\n\n')
    live.reload({ isOfStyles: true })
    expect(await nextText(stream)).toBe('data: abc-2 2\n\n')
    const late = streamOf(live)
    expect(await nextText(late)).toContain('data: abc-2 2\n')
  })

  it('is an event stream that is not cacheable', () => {
    const answer = start().answer(requestFor('/.httpcli/live'))
    expect(answer?.fields).toEqual([
      ['Content-Type', 'text/event-stream'],
      ['Cache-Control', 'no-store'],
    ])
    expect(answer?.body).toHaveProperty('lengthBytes', undefined)
  })

  it('ends when the server does', async () => {
    const live = start()
    const stream = streamOf(live)
    stream.resume()
    const ended = once(stream, 'end')
    live.close()
    await ended
  })

  it('is closed if its client does not read', async () => {
    const live = start()
    const stream = streamOf(live)
    const closed = once(stream, 'close')
    for (let count = 0; count < 5_000; count++) live.reload({ isOfStyles: false })
    await closed
    expect(stream.destroyed).toBe(true)
  })

  it('and its script are below the root path, and answer nothing else', () => {
    const live = start('/app')
    expect(live.answer(requestFor('/app/.httpcli/live.js'))?.status).toBe(200)
    expect(live.answer(requestFor('/app/.httpcli/live?x=1'))?.status).toBe(200)
    expect(live.answer(requestFor('/.httpcli/live'))).toBeUndefined()
    expect(live.answer(requestFor('/app/.httpcli/'))).toBeUndefined()
    expect(live.answer(requestFor('/app/.httpcli/live', {}, 'POST'))).toBeUndefined()
  })
})

describe('the script', () => {
  /** A browser as far as the script sees one. */
  function browserWith(live: LiveReload) {
    const script = Buffer.from(live.answer(requestFor(live.scriptPath))?.body as Uint8Array).toString()
    const sources: { url: string; isClosed: boolean; onmessage?: (event: { data: string }) => void }[] = []
    const listeners: (() => void)[] = []
    let reloads = 0
    const document = {
      currentScript: { src: `http://host${live.scriptPath}` },
      visibilityState: 'visible',
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
    }
    class EventSource {
      readonly url: string
      isClosed = false
      constructor(url: string) {
        this.url = url
        sources.push(this)
      }
      close() {
        this.isClosed = true
      }
    }
    const location = {
      reload: () => {
        reloads += 1
      },
    }
    runInNewContext(script, { document, EventSource, location })
    return {
      sources,
      reloads: () => reloads,
      turn: (visibilityState: string) => {
        document.visibilityState = visibilityState
        for (const listener of listeners) listener()
      },
    }
  }

  it('reloads the page at the first different version', () => {
    const { sources, reloads } = browserWith(start('/app'))
    expect(sources.map(({ url }) => url)).toEqual(['http://host/app/.httpcli/live'])
    sources[0]?.onmessage?.({ data: 'abc-1 1' })
    expect(reloads()).toBe(0)
    sources[0]?.onmessage?.({ data: 'abc-2 1' })
    expect(reloads()).toBe(1)
  })

  it('knows the version at the time of its request', () => {
    const live = start()
    live.reload({ isOfStyles: false })
    const { sources, reloads } = browserWith(live)
    sources[0]?.onmessage?.({ data: 'abc-2 1' })
    expect(reloads()).toBe(0)
  })

  it('listens only while its page is visible', () => {
    const { sources, turn } = browserWith(start())
    turn('hidden')
    expect(sources.map(({ isClosed }) => isClosed)).toEqual([true])
    turn('visible')
    expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false])
  })
})

describe('the change to files', () => {
  const browser = 'text/html,*/*;q=0.8'

  it.each([
    ['a page that a browser opens', 'text/html; charset=utf-8', { 'sec-fetch-dest': 'document', accept: '*/*' }, true],
    ['a page in a frame', 'text/html', { 'sec-fetch-dest': 'iframe' }, true],
    ['a page for a browser that says little', 'TEXT/HTML', { accept: browser }, true],
    ['HTML that a script fetches', 'text/html', { 'sec-fetch-dest': 'empty', accept: browser }, false],
    ['HTML for a tool', 'text/html', { accept: '*/*' }, false],
    ['HTML without Accept', 'text/html', {}, false],
    ['a style sheet', 'text/css', { 'sec-fetch-dest': 'style' }, false],
    ['a text that a browser opens', 'text/plain', { 'sec-fetch-dest': 'document' }, false],
    ['what is almost HTML', 'text/html-x', { 'sec-fetch-dest': 'document' }, false],
  ] as const)('%s: %s', (_, mediaType, fields, applies) => {
    expect(start().rewrite.appliesTo(requestFor('/', fields), mediaType)).toBe(applies)
  })

  it('is one line at the end', () => {
    const content = Buffer.from('<!doctype html><p>hi</p></body></html>')
    expect(start().rewrite.rewrite(content).toString()).toBe(
      `${content}\n<script src="/.httpcli/live.js" async></script>\n`,
    )
  })

  it.each([
    ['little endian', Buffer.from('\ufeff<p>', 'utf16le')],
    ['big endian', Buffer.from('\ufeff<p>', 'utf16le').swap16()],
  ])('is nothing for UTF-16, %s', (_, content) => {
    expect(start().rewrite.rewrite(content)).toBe(content)
  })
})
