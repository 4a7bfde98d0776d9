import { describe, expect, it } from 'vitest'
import { MediaTypes } from '../../../src/server/semantics/media-types.ts'

describe('MediaTypes', () => {
  const types = new MediaTypes()

  it.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['INDEX.HTM', 'text/html; charset=utf-8'],
    ['a.css', 'text/css; charset=utf-8'],
    ['a.js', 'text/javascript; charset=utf-8'],
    ['a.mjs', 'text/javascript; charset=utf-8'],
    ['a.ts', 'text/typescript; charset=utf-8'],
    ['a.tsx', 'text/typescript; charset=utf-8'],
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.md', 'text/markdown; charset=utf-8'],
    ['a.csv', 'text/csv; charset=utf-8'],
    ['a.py', 'text/x-python; charset=utf-8'],
    ['a.go', 'text/x-go; charset=utf-8'],
    ['a.json', 'application/json'],
    ['a.jsonc', 'application/json'],
    ['a.ndjson', 'application/x-ndjson'],
    ['a.xml', 'application/xml'],
    ['a.svg', 'image/svg+xml'],
    ['a.wasm', 'application/wasm'],
    ['a.png', 'image/png'],
    ['a.jpeg', 'image/jpeg'],
    ['a.webp', 'image/webp'],
    ['a.avif', 'image/avif'],
    ['favicon.ico', 'image/x-icon'],
    ['a.woff2', 'font/woff2'],
    ['a.mp3', 'audio/mpeg'],
    ['a.mp4', 'video/mp4'],
    ['a.pdf', 'application/pdf'],
    ['a.zip', 'application/zip'],
    ['a.gz', 'application/gzip'],
    ['a.tgz', 'application/gzip'],
    ['a.br', 'application/x-brotli'],
    ['a.zst', 'application/zstd'],
    ['a.webmanifest', 'application/manifest+json'],
    ['two.dots.html', 'text/html; charset=utf-8'],
    ['unknown.qqq', 'application/octet-stream'],
    ['no-extension', 'application/octet-stream'],
    ['.html', 'application/octet-stream'],
    ['html', 'application/octet-stream'],
    ['a.', 'application/octet-stream'],
    ['a.__proto__', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
  ])('%s is %s', (name, type) => {
    expect(types.ofFile(name)).toBe(type)
  })

  it('lets custom entries override and add', () => {
    const custom = new MediaTypes(
      new Map([
        ['html', 'application/xhtml+xml'],
        ['qqq', 'text/x-q'],
      ]),
    )
    expect(custom.ofFile('a.html')).toBe('application/xhtml+xml')
    expect(custom.ofFile('a.QQQ')).toBe('text/x-q')
    expect(custom.ofFile('a.css')).toBe('text/css; charset=utf-8')
  })

  it.each(['text/plain; charset=iso-8859-1', 'text/plain', 'text/plain;charset="UTF-8"'])(
    'returns a custom entry as written: %s',
    (type) => {
      expect(new MediaTypes(new Map([['txt', type]])).ofFile('a.txt')).toBe(type)
    },
  )

  it('adds no charset to a custom entry, even for a built-in extension', () => {
    const custom = new MediaTypes(new Map([['md', 'text/markdown']]))
    expect([custom.ofFile('a.md'), custom.ofFile('a.txt')]).toEqual(['text/markdown', 'text/plain; charset=utf-8'])
  })

  it('prefers the longest extension', () => {
    const custom = new MediaTypes(new Map([['api.json', 'application/vnd.api+json']]))
    expect(custom.ofFile('x.api.json')).toBe('application/vnd.api+json')
    expect(custom.ofFile('x.other.json')).toBe('application/json')
    expect(custom.ofFile('api.json')).toBe('application/json')
  })

  it.each([
    ['html', true],
    ['unknown', true],
    ['tar.gz', true],
    ['min.js', false],
    ['', false],
  ])('treats %j as one extension: %s', (text, isExtension) => {
    expect(types.isExtension(text)).toBe(isExtension)
  })
})
