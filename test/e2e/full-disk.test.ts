/**
 * The command on a full disk: the reason in words, exit code 4, and nothing half-written.
 *
 * The disk is a small file system in memory, which only the administrator can make; without that, these tests are
 * skipped.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { answering, startPeer } from '../wire/peer.ts'

const place = directoryWith({})
const disk = join(place.path, 'disk')
mkdirSync(disk)
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0

afterAll(() => {
  if (isMounted) spawnSync('umount', [disk])
  place.remove()
})

const BODY_BYTES = 2_000_000
const large = answering(
  `HTTP/1.1 200 OK\r\nConnection: close\r\nSet-Cookie: a=1; Max-Age=99\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
  Buffer.alloc(BODY_BYTES, 'x'),
)

describe.skipIf(!isMounted)('on a full disk', () => {
  const OLD = 'old content'

  beforeAll(() => mkdirSync(join(disk, '.git')))

  interface Case {
    readonly title: string
    /** Of the command, after the sub-command. `$D` is the disk, `$U` the URL. */
    readonly words: readonly string[]
    readonly file?: string
    /** The file that must be as it was, or absent. */
    readonly target: string
    readonly isFull?: boolean
  }
  const cases: readonly Case[] = [
    { title: 'send -o', words: ['send', '-t', 'GET $U', '-o', '$D/out'], target: 'out' },
    {
      title: '>>! of a request',
      words: ['run', '$D/a.http', '-p', 'status', '--quiet'],
      file: 'GET $U\n\n>>! out',
      target: 'out',
    },
    {
      title: '--save-responses',
      words: ['run', '$D/a.http', '-p', 'status', '--quiet', '--save-responses'],
      file: 'GET $U\n\n<> out',
      target: 'out',
    },
    ...['junit', 'json', 'tap', 'html'].map((format) => ({
      title: `the report ${format}`,
      words: ['run', '$D/a.http', '-p', 'status', '--quiet', '--report', `${format}=$D/out`],
      file: 'GET $U',
      target: 'out',
      isFull: true,
    })),
    {
      title: 'the cookie jar',
      words: ['run', '$D/a.http', '-p', 'status', '--quiet', '-c', '$D/out'],
      file: 'GET $U',
      target: 'out',
      isFull: true,
    },
    {
      title: 'convert -o',
      words: ['convert', '$D/a.http', '--from', 'curl', '-o', '$D/out'],
      file: 'curl $U',
      target: 'out',
      isFull: true,
    },
    { title: 'fmt', words: ['fmt', '$D/out.http'], target: 'out.http', isFull: true },
  ]

  it.each(cases)('$title', async ({ words, file, target, isFull }) => {
    const peer = await startPeer(large)
    const path = join(disk, target)
    const old = target === 'out.http' ? 'GET   http://a.test/\n\n\n\n\n' : words.includes('-c') ? '' : OLD
    for (const name of readdirSync(disk)) if (name !== '.git') spawnSync('rm', ['-rf', join(disk, name)])
    if (words[0] !== 'convert') writeFileSync(path, old)
    if (file !== undefined) writeFileSync(join(disk, 'a.http'), file.replace('$U', `${peer.origin}/`))
    if (isFull === true) spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k', 'count=1000'])
    const line = words.map((word) => word.replace('$D', disk).replace('$U', `${peer.origin}/`))
    const { code, stderr } = await runCommand(line, { cwd: place.path })
    const err = stderr.toString()
    expect([code, err]).toEqual([4, expect.stringMatching(/no space left on the device/)])
    expect(err.trimEnd().split('\n').length).toBe(1)
    if (existsSync(path)) expect(readFileSync(path, 'utf8')).toBe(old)
    expect(readdirSync(disk).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})
