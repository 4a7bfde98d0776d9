import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve, sep, win32 } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePath, splitTarget } from '../../src/server/semantics/url-path.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { startServer } from '../server/raw-client.ts'
import { mutated, noise, requestOctets } from './arbitraries.ts'

const effort = Number(process.env.PROPERTY_EFFORT ?? 1)

/** Pieces that paths out of a directory are made of, in the encodings that servers have been seen to fall for. */
const pathPiece = fc.constantFrom(
  ...['/', '//', '\\', '.', '..', '...', '%2e', '%2E', '%2e%2e', '%252e', '%2f', '%2F', '%5c', '%255c', '%00', '%0a'],
  ...[
    '%c0%ae',
    '%c0%af',
    '%e0%80%af',
    '%u002e',
    '%ef%bc%8f',
    '%',
    '%2',
    'a',
    'link',
    'secret.txt',
    'secret',
    'C:',
    'con',
  ],
  ...['.env', '.git', '.well-known', ';', '?', '#', '&', '~', ' ', '\xff', 'http://x', '::$DATA', '%20', 'A.', '*'],
)
const path = fc.array(pathPiece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)

describe('a path', () => {
  it('never names a file outside, on any platform', () => {
    return fc.assert(
      fc.property(path, (target) => {
        const parts = splitTarget(target)
        if (typeof parts === 'string') return
        expect(parts.path).toMatch(/^\/(?!\/)/)
        expect(splitTarget(parts.path)).toEqual({ path: parts.path, query: '' })
        const parsed = parsePath(parts.path)
        if (typeof parsed === 'string') return
        const { names } = parsed
        expect(resolve('/root/site', ...names)).toBe(['/root/site', ...names].join(sep))
        expect(win32.resolve('C:\\site', ...names)).toBe(['C:\\site', ...names].join('\\'))
        expect(names.every((name) => !/[\0/\\:]/.test(name))).toBe(true)
      }),
      { numRuns: 3_000 * effort },
    )
  })

  it('is resolved as in the URL standard, if it has no empty segments', () => {
    return fc.assert(
      fc.property(path, (target) => {
        const parts = splitTarget(target)
        if (typeof parts === 'string' || /\/\/|[\\\s]/.test(target)) return
        expect(new URL(parts.path, 'http://host').pathname).toBe(new URL(target, 'http://host').pathname)
      }),
      { numRuns: 3_000 * effort },
    )
  })

  it('never reaches files outside over a socket either, nor another host', async () => {
    const parent = temporaryDirectory()
    writeFileSync(join(parent, 'secret.txt'), 'forbidden content')
    const root = join(parent, 'root')
    mkdirSync(join(root, 'a'), { recursive: true })
    symlinkSync('..', join(root, 'link'))
    symlinkSync('../secret.txt', join(root, 'a', 'secret.txt'))
    const server = await startServer({ directory: root })
    await fc.assert(
      fc.asyncProperty(path, async (target) => {
        const answer = await talk(server.port, `GET ${target.replace(/[^!-~]/g, '')} HTTP/1.0\r\n\r\n`)
        expect(answer).toMatch(/^HTTP\/1\.1 (?:308|400|404) /)
        expect(answer).not.toContain('forbidden content')
        expect(answer).not.toMatch(/^location: (?!\/(?![/\\]))/im)
      }),
      { numRuns: 1_000 * effort },
    )
  })
})

describe('any request', () => {
  it('is answered or closed, and the next client is served', async () => {
    const root = temporaryDirectory()
    writeFileSync(join(root, 'a.txt'), 'hello')
    const errors: unknown[] = []
    const server = await startServer({ directory: root, onError: (error) => errors.push(error) })
    await fc.assert(
      fc.asyncProperty(fc.oneof(requestOctets, mutated(requestOctets), noise), async (octets) => {
        const answer = await talk(server.port, octets)
        expect(answer).toMatch(/^(?:$|HTTP\/1\.1 [2345]\d\d [A-Z])/)
        if (/[^\r\n]/.test(octets)) expect(answer).not.toBe('')
      }),
      { numRuns: 500 * effort },
    )
    expect(await talk(server.port, 'GET /a.txt HTTP/1.0\r\n\r\n')).toMatch(/hello$/)
    expect(errors).toEqual([])
  })
})

/** All that comes back until the server closes; the client ends its side at once. */
function talk(port: number, octets: string): Promise<string> {
  return new Promise((resolveText, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (bytes: Buffer) => chunks.push(bytes))
    socket.on('error', reject)
    socket.on('close', () => resolveText(Buffer.concat(chunks).toString('latin1')))
    socket.end(Buffer.from(octets, 'latin1'))
  })
}
