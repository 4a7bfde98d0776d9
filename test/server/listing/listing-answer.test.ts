import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { DirectoryLister } from '../../../src/server/listing/listed-directory.ts'
import { createListing } from '../../../src/server/listing/listing-answer.ts'
import { listingScript, listingStyle } from '../../../src/server/listing/listing-style.ts'
import type { Answer } from '../../../src/server/semantics/answer.ts'
import { StreamBody } from '../../../src/server/semantics/answer-body.ts'
import { defaultVisibility } from '../../../src/server/semantics/url-path.ts'
import { hostileNames } from '../../helpers/hostile-names.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { requestFor } from '../server-request.ts'

let root: string

beforeEach(() => {
  root = realpathSync(temporaryDirectory())
})

function answer(
  target: string,
  fields: Readonly<Record<string, string>> = {},
  names: readonly string[] = [],
  scriptPath?: string,
): Promise<Answer> {
  const listing = createListing({
    lister: new DirectoryLister({ visibility: defaultVisibility }),
    scriptPath,
  })
  return Promise.resolve(listing({ path: join(root, ...names), root, names }, requestFor(target, fields)))
}

const fieldOf = ({ fields }: Answer, name: string) => fields.find(([given]) => given === name)?.[1]

async function octetsOf({ body }: Answer): Promise<Buffer> {
  if (!(body instanceof StreamBody)) return Buffer.from(body as Uint8Array)
  const pieces: Buffer[] = []
  for await (const piece of body.stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

const textOf = async (answered: Answer): Promise<string> => (await octetsOf(answered)).toString()

interface JsonListing {
  readonly path: string
  readonly isComplete: boolean
  readonly entries: readonly { readonly name: string; readonly url: string }[]
}

async function listingOf(target: string, names: readonly string[] = []): Promise<JsonListing> {
  return JSON.parse(await textOf(await answer(target, { accept: 'application/json' }, names))) as JsonListing
}

describe('the answer for a directory', () => {
  it.each([
    [undefined, 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['application/json', 'application/json'],
    ['application/json, text/html', 'application/json'],
    ['text/html;q=0.5, application/json', 'application/json'],
    ['text/html, application/json;q=0.5', 'text/html; charset=utf-8'],
    ['application/*', 'application/json'],
    ['*/*, text/html;q=0', 'application/json'],
    ['image/png', 'text/html; charset=utf-8'],
  ])('to Accept %s is %s', async (accept, mediaType) => {
    const given = await answer('/', accept === undefined ? {} : { accept })
    expect([given.status, fieldOf(given, 'Content-Type')]).toEqual([200, mediaType])
    expect(fieldOf(given, 'Vary')).toBe('Accept, Accept-Encoding')
  })

  it('as JSON is as documented', async () => {
    mkdirSync(join(root, 'sub', 'in ner'), { recursive: true })
    writeFileSync(join(root, 'sub', 'a b.txt'), 'hello')
    const listing = await listingOf('/sub/', ['sub'])
    const modified = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(listing).toEqual({
      path: '/sub/',
      isComplete: true,
      entries: [
        { name: 'in ner', type: 'directory', url: 'in%20ner/', modified },
        { name: 'a b.txt', type: 'file', url: 'a%20b.txt', size: 5, modified },
      ],
    })
  })

  it('as JSON has every name unchanged', async () => {
    for (const name of hostileNames) writeFileSync(join(root, name), '')
    const { entries } = await listingOf('/')
    expect(entries.map(({ name }) => name).toSorted()).toEqual([...hostileNames].toSorted())
    expect(entries.every(({ name, url }) => decodeURIComponent(url) === name)).toBe(true)
  })

  it('is sorted as the query asks, in both forms', async () => {
    for (const name of ['a', 'bb', 'ccc']) writeFileSync(join(root, name), name)
    const target = '/?sort=size&order=desc'
    expect((await listingOf(target)).entries.map(({ name }) => name)).toEqual(['ccc', 'bb', 'a'])
    const page = await textOf(await answer(target))
    expect([...page.matchAll(/<a class="file" href="\w+">(\w+)<\/a>/g)].map(([, name]) => name)).toEqual([
      'ccc',
      'bb',
      'a',
    ])
  })

  it('in both forms is complete, even if long', async () => {
    for (let index = 0; index < 1_000; index++) writeFileSync(join(root, `n${index}`), '')
    const given = await answer('/')
    expect(given.body).toBeInstanceOf(StreamBody)
    const page = await textOf(given)
    expect(page.match(/<a class="file" href="n\d+">n\d+<\/a>/g)).toHaveLength(1_000)
    expect(page).toMatch(/<\/html>\n$/)
    const { entries } = await listingOf('/')
    expect(entries.map(({ name }) => name)).toEqual(Array.from({ length: 1_000 }, (_, index) => `n${index}`))
  })

  it('allows only its own style and script', async () => {
    const policy = fieldOf(await answer('/'), 'Content-Security-Policy') ?? ''
    const { createHash } = await import('node:crypto')
    const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      `style-src ${digest(listingStyle)}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      `script-src ${digest(listingScript)}`,
    ])
    const page = await textOf(await answer('/'))
    expect(page).toContain(`<style>${listingStyle}</style>`)
    expect(page).toContain(`<script>${listingScript}</script>`)
    const live = await answer('/', {}, [], '/.httpcli/live.js')
    expect(fieldOf(live, 'Content-Security-Policy')).toMatch(/script-src 'self' 'sha256-[^;]+; connect-src 'self'$/)
    expect(fieldOf(await answer('/', { accept: 'application/json' }), 'Content-Security-Policy')).toBeUndefined()
  })

  it.each([
    ['is gone', 404, () => undefined],
    ['has become a file', 404, () => writeFileSync(join(root, 'sub'), '')],
  ])('that %s is %d', async (_, status, prepare) => {
    prepare()
    expect((await answer('/sub/', {}, ['sub'])).status).toBe(status)
  })
})

describe('the content coding of a listing', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync }

  it.each(['gzip', 'br'] as const)('is %s for clients that accept it, short or long', async (coding) => {
    for (const count of [3, 600]) {
      for (let index = 0; index < count; index++) writeFileSync(join(root, `n${index}`), '')
      for (const accept of ['text/html', 'application/json']) {
        const plain = await answer('/', { accept })
        const coded = await answer('/', { accept, 'accept-encoding': coding })
        expect([fieldOf(plain, 'Content-Encoding'), fieldOf(coded, 'Content-Encoding')]).toEqual([undefined, coding])
        expect(fieldOf(coded, 'ETag')).not.toBe(fieldOf(plain, 'ETag'))
        expect(decoders[coding](await octetsOf(coded)).toString()).toBe(await textOf(plain))
      }
    }
  })

  it.each(['gzip', 'br'] as const)('%s shows its first rows before the last ones are generated', async (coding) => {
    for (let index = 0; index < 1_500; index++) writeFileSync(join(root, `n${index}`), '')
    const { body } = await answer('/', { 'accept-encoding': coding })
    if (!(body instanceof StreamBody)) throw new Error('the listing is not a stream')
    const firstPiece = await new Promise<Buffer>((resolve, reject) => {
      body.stream.once('data', resolve).once('error', reject)
    })
    body.close()
    const flush = coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH
    const shown = decoders[coding](firstPiece, { finishFlush: flush }).toString()
    expect(shown).toContain('>n0</a>')
    expect(shown).not.toContain('>n1499</a>')
  })

  it('is not used for clients that accept none, or an unknown one', async () => {
    for (const accepted of ['identity', 'gzip;q=0', 'compress', '']) {
      expect(fieldOf(await answer('/', { 'accept-encoding': accepted }), 'Content-Encoding')).toBeUndefined()
    }
  })
})

describe('the entity tag of a listing', () => {
  const etagFor = async (target = '/', fields = {}) => fieldOf(await answer(target, fields), 'ETag')!

  it('stays the same while nothing changes, and gives 304', async () => {
    writeFileSync(join(root, 'a'), '')
    const etag = await etagFor()
    expect(etag).toMatch(/^"[\w-]{27}"$/)
    const again = await answer('/', { 'if-none-match': etag })
    expect([again.status, again.body, fieldOf(again, 'ETag')]).toEqual([304, undefined, etag])
    expect(fieldOf(again, 'Vary')).toBe('Accept, Accept-Encoding')
    expect((await answer('/', { 'if-match': '"other"' })).status).toBe(412)
    expect((await answer('/', { 'if-modified-since': new Date().toUTCString() })).status).toBe(200)
  })

  it('differs for each form and order', async () => {
    const tags = [
      await etagFor(),
      await etagFor('/?sort=size'),
      await etagFor('/?order=desc'),
      await etagFor('/', { accept: 'application/json' }),
    ]
    expect(new Set(tags).size).toBe(4)
  })

  it.each([
    ['a file comes', () => writeFileSync(join(root, 'b'), '')],
    ['a file goes', () => rmSync(join(root, 'a'))],
    ['a file grows', () => writeFileSync(join(root, 'a'), 'more')],
  ])('changes when %s', async (_, change) => {
    writeFileSync(join(root, 'a'), '')
    const before = await etagFor()
    change()
    expect(await etagFor()).not.toBe(before)
  })
})
