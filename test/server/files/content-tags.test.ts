import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../../src/server/index.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'
import { fetchRaw, startServer } from '../raw-client.ts'

const large = Buffer.alloc(3_000_000, 'large content ')

let root: string
let copy: string

beforeEach(() => {
  root = temporaryDirectory()
  copy = temporaryDirectory()
})

/** The same files as on two machines: with other dates and inodes. */
function plant(name: string, content: string | Buffer): void {
  for (const [directory, second] of [
    [root, 1_700_000_000],
    [copy, 1_600_000_000],
  ] as const) {
    writeFileSync(join(directory, name), content)
    utimesSync(join(directory, name), second, second)
  }
}

/** A clock a minute ahead: every file has been at rest for long. */
const serve = (directory: string): Promise<RunningServer> =>
  startServer({ directory, hasContentTags: true, now: () => Date.now() + 60_000 })

const tagOf = async (server: RunningServer, target: string, ...fields: string[]) =>
  (await fetchRaw(server, target, fields)).fields.get('etag')

/** Of a large file: it exists once the file was hashed. */
async function awaitTag(server: RunningServer, target: string): Promise<string> {
  for (;;) {
    const tag = await tagOf(server, target)
    if (tag !== undefined) return tag
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const digest = (content: string | Buffer) =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`

describe('content-based entity tags', () => {
  it('are the same on all machines, and only for equal content', async () => {
    plant('a.txt', 'one')
    plant('b.txt', 'two')
    const servers = [await serve(root), await serve(copy)] as const
    for (const server of servers) {
      expect(await tagOf(server, '/a.txt')).toBe(digest('one'))
      expect(await tagOf(server, '/b.txt')).toBe(digest('two'))
      expect(await tagOf(server, '/a')).toBe(digest('one'))
      const again = await fetchRaw(server, '/a.txt', [`If-None-Match: ${digest('one')}`])
      expect(again.status).toBe(304)
    }
    writeFileSync(join(root, 'a.txt'), 'new')
    expect(await tagOf(servers[0], '/a.txt')).toBe(digest('new'))
  })

  it('are available later for a large file, and then match its content', async () => {
    plant('big', large)
    const server = await serve(root)
    const first = await fetchRaw(server, '/big')
    expect([first.status, first.fields.has('etag'), first.fields.has('last-modified')]).toEqual([200, false, true])
    expect((await fetchRaw(server, '/big', ['If-Match: *', 'Range: bytes=0-9'])).status).toBe(206)
    const tag = await awaitTag(server, '/big')
    expect(tag).toBe(digest(large))
    expect(await awaitTag(await serve(copy), '/big')).toBe(tag)
    expect((await fetchRaw(server, '/big', [`If-None-Match: ${tag}`])).status).toBe(304)
    expect((await fetchRaw(server, '/big', [`If-Range: ${tag}`, 'Range: bytes=0-9'])).status).toBe(206)
    appendFileSync(join(root, 'big'), 'more')
    expect(await tagOf(server, '/big')).not.toBe(tag)
    expect(await awaitTag(server, '/big')).toBe(digest(Buffer.concat([large, Buffer.from('more')])))
  })

  it('do not make a response trust an unknown tag before they are available', async () => {
    plant('big', large)
    const server = await serve(root)
    expect((await fetchRaw(server, '/big', ['If-Match: "x"'])).status).toBe(412)
    const unknown = await fetchRaw(await serve(copy), '/big', ['If-Range: "x"', 'Range: bytes=0-9'])
    expect(unknown.status).toBe(200)
  })

  it('leave no file open', async () => {
    plant('big', large)
    const server = await serve(root)
    await awaitTag(server, '/big')
    const open = readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(root)
      } catch {
        return false
      }
    })
    expect(open).toEqual([])
  })
})
