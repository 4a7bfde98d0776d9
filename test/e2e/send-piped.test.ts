/** Requests that come through a pipe which stays open: they end where their own framing fields say so. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'

/** Writes to the standard input of `send --offline` and leaves it open, unless `isEnded` says otherwise. */
async function piped(pieces: readonly (string | Uint8Array)[], isEnded = false): Promise<[number | null, string]> {
  const [program, ...words] = commandLine()
  const child = spawn(program, [...words, 'send', '--offline'], { env: commandEnvironment(), stdio: 'pipe' })
  child.stdin.on('error', () => undefined)
  let out = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString('latin1')
  })
  for (const piece of pieces) child.stdin.write(piece)
  if (isEnded) child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  child.stdin.destroy()
  return [code, out]
}

const head = 'POST http://a.test/ HTTP/1.1\r\n'
const shownHead = 'POST / HTTP/1.1\r\nHost: a.test\r\n'

describe('a request from a pipe that stays open', () => {
  it('ends after its Content-Length', async () => {
    expect(await piped([head, 'Content-Length: 5\r\n\r\n', 'hel', 'lo'])).toEqual([
      0,
      `${shownHead}Content-Length: 5\r\n\r\nhello`,
    ])
  })

  it('ends at the empty line with Content-Length 0', async () => {
    expect(await piped([head, 'Content-Length: 0\r\n\r\n'])).toEqual([0, `${shownHead}Content-Length: 0\r\n\r\n`])
  })

  it('ends after its last chunk and its trailers', async () => {
    const [code, out] = await piped([head, 'Transfer-Encoding: chunked\r\n\r\n', '2\r\nok\r\n0\r\nX: 1\r\n', '\r\n'])
    expect([code, out]).toEqual([0, `${shownHead}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: 1\r\n\r\n`])
  })

  it('ends after a body that is too large to be kept in memory', async () => {
    const [code, out] = await piped([head, 'Content-Length: 1000000\r\n\r\n', Buffer.alloc(1_000_000, 'x')])
    expect([code, out.length]).toEqual([0, `${shownHead}Content-Length: 1000000\r\n\r\n`.length + 1_000_000])
  })

  it('ends with the input if no field gives its length', async () => {
    expect(await piped([head, '\r\n', 'a\r\n\r\n', 'b'], true)).toEqual([
      0,
      `${shownHead}Content-Length: 6\r\n\r\na\r\n\r\nb`,
    ])
  })

  it('that is invalid is read to its end', async () => {
    const [code, out] = await piped([head, 'Content-Length: five\r\n\r\n', 'hello'], true)
    expect([code, out]).toEqual([2, ''])
  })
})
