/**
 * `send` with files that can be read only once.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandEnvironment, commandLine } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'
import { response, send } from './send-outcome.ts'

it('a redirect that needs a body from a pipe again exits with 4, not with an empty body', async () => {
  const cwd = temporaryDirectory()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  createWriteStream(join(cwd, 'pipe')).end('from a pipe')
  const peer = await startPeer((socket) => {
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      if (text.endsWith('0\r\n\r\n')) socket.end('HTTP/1.1 307 Again\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n')
    })
  })
  const words = ['-t', `POST ${peer.origin}/`, '-g', 'pipe', '--follow']
  const { code, err } = await send(words, { cwd })
  expect([code, err]).toEqual([4, expect.stringContaining('can be read only once')])
  expect(peer.received[0]).toContain('\r\nb\r\nfrom a pipe\r\n0\r\n\r\n')
})

it('a request in a named pipe is read', async () => {
  const cwd = temporaryDirectory()
  execFileSync('mkfifo', [join(cwd, 'pipe')])
  const peer = await startPeer(answering(response))
  createWriteStream(join(cwd, 'pipe')).end(`GET ${peer.origin}/from-a-pipe\n`)
  const { code, out } = await send(['pipe'], { cwd })
  expect([code, out]).toEqual([0, response])
  expect(peer.received[0]).toContain('GET /from-a-pipe HTTP/1.1\r\n')
})

it('an early response is printed while the request is still being read, and all of it is sent', async () => {
  const total = 1_000_000
  let taken = 0
  const peer = await startPeer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
    socket.on('data', (bytes: Buffer) => {
      taken += bytes.length
    })
  })
  const [program, ...words] = commandLine()
  const child = spawn(program, [...words, 'send'], { env: commandEnvironment() })
  const exited = once(child, 'exit')
  const head = `POST ${peer.origin}/ HTTP/1.1\r\nContent-Length: ${total}\r\n\r\n`
  child.stdin.write(head + 'x'.repeat(400_000))
  const [printed] = await once(child.stdout, 'data')
  expect(String(printed)).toBe('HTTP/1.1 204 No Content\r\n\r\n')
  child.stdin.end('x'.repeat(total - 400_000))
  expect(await exited).toEqual([0, null])
  // Sent data may still be on its way to this process.
  await expect.poll(() => taken, { timeout: 20_000 }).toBeGreaterThanOrEqual(total)
})

describe('-g -', () => {
  /** Sends what its standard input gets, and gives the command and what the server has got. */
  async function uploading(...words: readonly string[]) {
    const peer = await startPeer((socket) => {
      let text = ''
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1')
        if (/\r\n0\r\n\r\n$|Content-Length/.test(text)) socket.end(response)
      })
    })
    const [program, ...line] = commandLine()
    const child = spawn(program, [...line, 'PUT', peer.origin, '-g', '-', ...words], { env: commandEnvironment() })
    return { peer, child, exited: once(child, 'exit') }
  }

  it('sends continuing input in chunks, as it arrives', async () => {
    const { peer, child, exited } = await uploading()
    child.stdin.write('first')
    await peer.waitFor(/Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n/)
    child.stdin.write('second')
    await peer.waitFor(/6\r\nsecond\r\n/)
    child.stdin.end()
    expect(await exited).toEqual([0, null])
  })

  it('sends input that ends at once with its length', async () => {
    const { peer, child, exited } = await uploading()
    child.stdin.end('whole')
    await peer.waitFor(/Content-Length: 5\r\n\r\nwhole$/)
    expect(await exited).toEqual([0, null])
  })

  it('sends any body in chunks if the header says so', async () => {
    const { peer, child, exited } = await uploading('Transfer-Encoding:chunked')
    child.stdin.end('whole')
    await peer.waitFor(/\r\n5\r\nwhole\r\n0\r\n\r\n$/)
    expect(await exited).toEqual([0, null])
  })
})
