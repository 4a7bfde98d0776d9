/**
 * The smuggling vectors sent to a real server: one refusal each, then the connection closes, and nothing hidden is
 * served.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveDirectory } from '../../src/server/index.ts'
import { REFUSED } from './smuggling-vectors.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-smuggling-'))
writeFileSync(join(directory, 'smuggled'), 'the hidden request was served')
let server: Awaited<ReturnType<typeof serveDirectory>>

beforeAll(async () => {
  server = await serveDirectory({ directory, port: 0 })
})

afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true, force: true })
})

/** All that comes back until the server closes. */
function answerTo(octets: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      text += piece
    })
    // A server that refuses closes at once, and may do so while bytes are still on their way.
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)))
    socket.on('close', () => resolve(text))
    socket.end(octets, 'latin1')
  })
}

describe.each(Object.entries(REFUSED))('the server refuses %s:', (_group, vectors) => {
  it('with one response each, and closes', async () => {
    for (const { title, octets } of vectors) {
      const answer = await answerTo(octets)
      expect(answer.match(/^HTTP\/1\.1 \d{3} /gm)?.length, title).toBe(1)
      expect(answer, title).toMatch(/^HTTP\/1\.1 (?:400|405|411|413|414|431|501|505) /)
      expect(answer, title).not.toContain('the hidden request was served')
    }
  })
})
