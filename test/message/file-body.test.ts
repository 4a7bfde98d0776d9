/** FileBody: the content of a file as a body, read when it is sent. */
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseRequest } from '../../src/message/index.ts'
import { FileBody } from '../../src/message-node/index.ts'
import { collect } from './octets.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'file-body-'))
})
afterAll(() => rm(folder, { recursive: true }))

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}
const put = parseRequest('PUT http://a.test/f')

describe('FileBody', () => {
  it('has the size and the bytes of its file', async () => {
    const path = await file('plain.txt', 'é!')
    for (const named of [path, pathToFileURL(path), new Blob(['é!'])]) {
      const body = new FileBody(named, 'text/plain')
      expect(body.contentLength).toBe(3)
      expect(await collect(put.withBody(body).encode())).toBe(
        'PUT /f HTTP/1.1\r\nHost: a.test\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n\xc3\xa9!',
      )
    }
  })

  it('sets Content-Length and removes Transfer-Encoding', async () => {
    const request = parseRequest('PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
    const replaced = request.withBody(new FileBody(await file('six', 'sixsix')))
    expect(replaced.headers.get('content-length')).toBe('6')
    expect(replaced.headers.has('transfer-encoding')).toBe(false)
  })

  it('may be empty', async () => {
    const request = put.withBody(new FileBody(await file('empty', '')))
    expect(await collect(request.encode())).toBe('PUT /f HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n')
  })

  it('is read eagerly without waiting; a Blob returns a promise', async () => {
    const path = await file('eager', 'hello')
    for (const name of [path, pathToFileURL(path)]) {
      expect(put.withBody(new FileBody(name, 'a/b')).eagerly().toString()).toBe(
        'PUT /f HTTP/1.1\r\nHost: a.test\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhello',
      )
    }
    const eager = put.withBody(new FileBody(new Blob(['hello']))).eagerly()
    expect(eager).toBeInstanceOf(Promise)
    expect((await eager).content?.text()).toBe('hello')
  })

  it('that has shrunk or is deleted is an error for eagerly(), too', async () => {
    const path = await file('shrinks', 'hello')
    const request = put.withBody(new FileBody(path))
    await writeFile(path, 'he')
    expect(() => request.eagerly()).toThrow(expect.objectContaining({ code: 'content-length-mismatch' }))
    await rm(path)
    expect(() => request.eagerly()).toThrow(expect.objectContaining({ code: 'file-not-found' }))
  })

  it('is read piece by piece', async () => {
    const size = 3 * 1024 * 1024 + 1
    const body = new FileBody(await file('large', new Uint8Array(size).fill(0x61)))
    let received = 0
    let largest = 0
    for await (const piece of body.open()) {
      received += piece.length
      largest = Math.max(largest, piece.length)
    }
    expect(received).toBe(size)
    expect(largest).toBeLessThanOrEqual(1024 * 1024)
  })

  it('can be sent more than once', async () => {
    const body = new FileBody(await file('twice', 'again'))
    expect(await collect(body.open())).toBe('again')
    expect(await collect(body.open())).toBe('again')
  })

  it('never sends more or less than declared: a file that changes is an error', async () => {
    const grown = await file('grown', 'hello')
    const growing = put.withBody(new FileBody(grown))
    await appendFile(grown, ' world')
    const wire = await collect(growing.encode()).catch((error: unknown) => String(error))
    expect(wire).not.toMatch(/world/)
    const cut = await file('cut', 'hello')
    const shrinking = put.withBody(new FileBody(cut))
    await truncate(cut, 2)
    await expect(collect(shrinking.encode())).rejects.toThrow()
  })

  it.runIf(process.platform === 'linux')('does not trust a file that claims to be empty', async () => {
    const body = new FileBody('/proc/version')
    expect(body.contentLength).toBeUndefined()
    expect(await collect(put.withBody(body).encode())).toMatch(/Transfer-Encoding: chunked.*Linux version/s)
  })

  it('names a missing file', async () => {
    const missing = join(folder, 'missing.txt')
    const send = async (): Promise<string> => collect(put.withBody(new FileBody(missing)).encode())
    await expect(send()).rejects.toThrow(/missing\.txt/)
  })

  it('rejects a directory', async () => {
    const send = async (): Promise<string> => collect(put.withBody(new FileBody(folder)).encode())
    await expect(send()).rejects.toThrow()
  })
})
