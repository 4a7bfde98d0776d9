/** The published schemas: what they are, what they accept, and that the pages name them. */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { RulesMistakes } from '../../src/server/rules/rules-error.ts'
import { parseServeJson } from '../../src/server/rules/serve-json.ts'
import { pages } from '../helpers/document.ts'
import { readSchema, schemaErrors } from '../helpers/json-output.ts'

const names = readdirSync(fileURLToPath(new URL('../../docs/schemas', import.meta.url))).map((file) =>
  file.replace('.schema.json', ''),
)

describe.each(names)('docs/schemas/%s.schema.json', (name) => {
  it('is a draft 2020-12 schema that a page mentions', () => {
    const schema = readSchema(name)
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(() => new Ajv2020().validateSchema(schema, true)).not.toThrow()
    expect(pages.some(({ text }) => text.includes(`schemas/${name}.schema.json`))).toBe(true)
  })
})

describe('a schema of an output', () => {
  const event = { type: 'note', time: '2026-11-21T10:33:10.000Z', job: 1, text: 'n' }
  const published = new Ajv2020({ strict: false }).compile(readSchema('run-events'))

  it.each([
    ['an event', event, true],
    ['a field of a later version', { ...event, later: 1 }, true],
    ['an event of a later version', { type: 'later', time: event.time }, true],
    ['a missing field', { ...event, text: undefined }, false],
    ['another type', { ...event, text: 1 }, false],
    ['a moment without a zone', { ...event, time: '2026-11-21T10:33:10.000' }, false],
  ])('says of %s', (_name, value, isValid) => {
    expect(published(JSON.parse(JSON.stringify(value)))).toBe(isValid)
  })

  it('names every property that the tests see', () => {
    expect(schemaErrors('run-events', event)).toEqual([])
    expect(schemaErrors('run-events', { ...event, later: 1 })).not.toEqual([])
    expect(schemaErrors('run-events', { type: 'later', time: event.time })).not.toEqual([])
  })
})

describe('the schema of environment files', () => {
  it.each([
    [{ dev: { host: 'h', port: 80, on: true, list: [1], object: { a: null }, other: null } }, true],
    [{ $schema: 'environment.schema.json', $shared: { a: '1' } }, true],
    [
      { dev: { Security: { Auth: { a: { Type: 'OAuth2', 'Grant Type': 'Client Credentials', 'Client ID': 'c' } } } } },
      true,
    ],
    [{ dev: { SSLConfiguration: { clientCertificate: 'a.pem', clientCertificateKey: { path: 'a.key' } } } }, true],
    [{ dev: 'h' }, false],
    [{ $schema: {} }, false],
    [{ dev: { SSLConfiguration: { verifyHostCertificate: 'no' } } }, false],
    [[], false],
  ])('%j', (value, isValid) => {
    expect(schemaErrors('environment', value).length === 0).toBe(isValid)
  })
})

describe('the schema of serve.json agrees with the server', () => {
  const rule = { source: '/a/:id', destination: '/b/:id' }
  const field = { key: 'X-A', value: '1' }

  const isAccepted = (value: unknown): boolean => {
    const mistakes = new RulesMistakes()
    parseServeJson({ file: 'serve.json', text: JSON.stringify(value) }, mistakes)
    try {
      mistakes.throwIfAny()
      return true
    } catch {
      return false
    }
  }

  it.each([
    [{}, true],
    [
      {
        $schema: 'serve-json.schema.json',
        public: 'site',
        cleanUrls: ['/app/**'],
        rewrites: [rule],
        redirects: [rule, { ...rule, type: 308 }],
        headers: [{ source: '**/*.js', headers: [field, { key: 'X-B', value: null }] }],
        directoryListing: false,
        unlisted: ['.DS_Store'],
        trailingSlash: true,
        renderSingle: true,
        etag: true,
        symlinks: false,
      },
      true,
    ],
    [[], false],
    [{ cleanURLs: true }, false],
    [{ public: '' }, false],
    [{ cleanUrls: 'yes' }, false],
    [{ cleanUrls: [''] }, false],
    [{ rewrites: rule }, false],
    [{ rewrites: [{ ...rule, type: 301 }] }, false],
    [{ rewrites: [{ source: '/a' }] }, false],
    [{ redirects: [{ ...rule, type: 304 }] }, false],
    [{ redirects: [{ ...rule, type: '301' }] }, false],
    [{ headers: [{ source: '**' }] }, false],
    [{ headers: [{ source: '**', headers: [{ key: 'X-A' }] }] }, false],
    [{ headers: [{ source: '**', headers: [{ ...field, name: 'X-A' }] }] }, false],
    [{ unlisted: 'a' }, false],
    [{ trailingSlash: 'yes' }, false],
    [{ renderSingle: 1 }, false],
    [{ etag: null }, false],
    [{ symlinks: true }, false],
  ])('%j', (value, isValid) => {
    expect(isAccepted(value)).toBe(isValid)
    expect(schemaErrors('serve-json', value).length === 0).toBe(isValid)
  })
})
