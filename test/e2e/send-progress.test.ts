/**
 * The progress of a slow transfer on a terminal: the bar, and the line that stays.
 *
 * Rules: the server sends on when the bar has been seen, so that a slow machine changes nothing.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandLine, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { hasTerminals, openTerminal } from '../helpers/terminal.ts'
import { onHead, startPeer } from '../wire/peer.ts'

const httpcli = commandLine()
  .map((word) => `'${word}'`)
  .join(' ')
const PART = Buffer.alloc(1_000_000, 'x')

/** Sends half of the body; gives what sends the rest. */
async function halfServer(head: string): Promise<{ origin: string; finish: () => void }> {
  let open: Socket | undefined
  const peer = await startPeer(
    onHead((socket) => {
      open = socket
      socket.write(`HTTP/1.1 ${head}\r\n\r\n`)
      socket.write(PART)
    }),
  )
  return { origin: peer.origin, finish: () => void open?.end(PART) }
}

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it('a download shows a bar as wide as the terminal, and a last line with path, size and time', async () => {
    const cwd = temporaryDirectory()
    const { origin, finish } = await halfServer('200 OK\r\nContent-Length: 2000000')
    spawnSync('mkfifo', [join(cwd, 'narrow')])
    const command = `stty cols 100; (read x <narrow; stty cols 50 </dev/tty) & ${httpcli} ${origin}/big.iso -O -p status`
    const terminal = openTerminal(command, { cwd })
    await terminal.waitFor(/\r\x1b\[K 50 % \[=+> +\] 1\.0 MB of 2\.0 MB, \S+ \w+\/s, [^\r]*/)
    writeFileSync(join(cwd, 'narrow'), '\n')
    // Without the bar.
    await terminal.waitFor(/\r\x1b\[K 50 % 1\.0 MB of 2\.0 MB, [^\r]+\r/)
    finish()
    expect(await terminal.exited).toBe(0)
    expect(terminal.shown).toMatch(
      /HTTP\/1\.1 200 OK[\s\S]*\r\x1b\[Ksaved big\.iso: 2\.0 MB in \S+ \w+ \(\S+ \w+\/s\)\r\n$/,
    )
    expect(readFileSync(join(cwd, 'big.iso'))).toHaveLength(2_000_000)
  })

  it('a download of unknown length shows size and rate', async () => {
    const cwd = temporaryDirectory()
    const { origin, finish } = await halfServer('200 OK')
    const terminal = openTerminal(`${httpcli} ${origin}/ -o 'my file' -p status`, { cwd })
    await terminal.waitFor(/\r\x1b\[K1\.0 MB, \S+ \w+\/s/)
    finish()
    expect(await terminal.exited).toBe(0)
    expect(terminal.shown).toMatch(/\r\x1b\[Ksaved my file: 2\.0 MB in [^\r]+\r\n$/)
  })

  it('a resumed download counts the existing bytes', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'part'), Buffer.alloc(2_000_000))
    const { origin, finish } = await halfServer(
      '206 Partial Content\r\nContent-Length: 2000000\r\nContent-Range: bytes 2000000-3999999/4000000',
    )
    const terminal = openTerminal(`${httpcli} ${origin}/ -o part --continue -p status`, { cwd })
    await terminal.waitFor(/\r\x1b\[K 75 % .*3\.0 MB of 4\.0 MB/)
    finish()
    expect(await terminal.exited).toBe(0)
    expect(terminal.shown).toMatch(/saved part: 2\.0 MB in [^\r]+\r\n$/)
    expect(readFileSync(join(cwd, 'part'))).toHaveLength(4_000_000)
  })

  it('a download that fails leaves neither bar nor last line', async () => {
    const cwd = temporaryDirectory()
    const peer = await startPeer(
      onHead((socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n${PART.toString()}`)),
    )
    const terminal = openTerminal(`${httpcli} ${peer.origin}/ -o cut -p status`, { cwd })
    expect(await terminal.exited).toBe(4)
    expect(terminal.shown).not.toContain('saved')
    expect(existsSync(join(cwd, 'cut'))).toBe(false)
  })

  it('an upload shows its bar and names the file; warnings are lines by themselves', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'upload.bin'), Buffer.alloc(30_000_000))
    const peer = await startPeer((socket) => void socket.pause())
    const words = `PUT ${peer.origin}/ -g upload.bin --timeout 2 --retry 1 --retry-interval 1ms -p status`
    const terminal = openTerminal(`stty cols 100; ${httpcli} ${words}`, { cwd })
    await terminal.waitFor(/\r\x1b\[K +\d+ % \[=*> +\] \S+ MB of 30\.0 MB/)
    await terminal.waitFor(/\r\x1b\[Knote: [^\r]*retrying[^\r]*\r\n/)
    expect(await terminal.exited).toBe(4)
  })

  it.each([
    ['a download into a file', '-O'],
    ['a download into a pipe', '-p body | cat >/dev/null'],
    ['an upload', '-g upload.bin -p status'],
  ])('Ctrl-C clears the bar of %s', async (_title, words) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'upload.bin'), Buffer.alloc(30_000_000))
    const peer = await startPeer((socket) => {
      socket.pause()
      if (!words.startsWith('-g')) socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n${PART}`)
    })
    const command = `trap : INT; set -o pipefail; ${httpcli} ${peer.origin}/big.iso ${words}`
    const terminal = openTerminal(`bash -c "${command}"`, { cwd })
    await terminal.waitFor(/\r\x1b\[K [^\r]*\/s[^\r]*/)
    terminal.press('\x03')
    expect(await terminal.exited).toBe(130)
    expect(terminal.shown).toMatch(/\/s[^\r]*\r\x1b\[K$/)
  })
})

it('a pipe gets neither bar nor last line', async () => {
  const cwd = temporaryDirectory()
  const { origin, finish } = await halfServer('200 OK\r\nContent-Length: 2000000')
  // Long enough for a terminal to get a bar.
  setTimeout(finish, 1500)
  const { code, stdout, stderr } = await runCommand(['send', `${origin}/big.iso`, '-O', '-p', 'status'], { cwd })
  expect([code, stdout.toString(), stderr.toString()]).toEqual([0, 'HTTP/1.1 200 OK\n', ''])
})
