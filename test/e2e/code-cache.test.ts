/** Compiled code of the command: it is kept where only the user can write, and nothing depends on it. */
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSite } from '../helpers/backend-site.ts'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const words = ['send', '--offline', '-t', 'GET http://localhost/\n\n']
const printed = { code: 0, stdout: 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', stderr: '' }

async function send(env: Readonly<Record<string, string | undefined>>) {
  const { code, stdout, stderr } = await runCommand(words, { env })
  return { code, stdout: stdout.toString(), stderr: stderr.toString() }
}

/** All files below a directory, by their paths in it. */
function filesBelow(directory: string): readonly string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Where compiled code names the flags of V8 that it was made with. */
const FLAGS_OFFSET = 12

/** Whether a connection to the port is accepted. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isAccepted: boolean) => {
      socket.destroy()
      resolve(isAccepted)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

const modeOf = (path: string): number => statSync(path).mode & 0o777
const isRoot = process.getuid?.() === 0

/** Ways to make the directory untrusted. */
const insecure: readonly (readonly [string, (cache: string) => void])[] = [
  ['is open to others', (cache) => chmodSync(join(cache, 'httpcli'), 0o777)],
  ['is open to the group', (cache) => chmodSync(join(cache, 'httpcli'), 0o770)],
  // Only root can give a file away.
  ...(isRoot
    ? [['is of another user', (cache: string) => chownSync(join(cache, 'httpcli'), 65_534, 65_534)] as const]
    : []),
]

describe.skipIf(isStandalone || process.platform !== 'linux')('compiled code', () => {
  it('is kept by the first run, closed to others, and used by the next ones', async () => {
    const cache = temporaryDirectory()
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    const [file, ...others] = filesBelow(cache) as [string]
    expect(others).toEqual([])
    expect(file).toMatch(/\/httpcli\/[0-9a-f]{16}-v\d+\.\d+\.\d+-\w+\/send\.cjs$/)
    expect([modeOf(join(cache, 'httpcli')), modeOf(join(file, '..')), modeOf(file)]).toEqual([0o700, 0o700, 0o600])
    for (let run = 0; run < 5; run++) await send({ XDG_CACHE_HOME: cache })
    // Enough runs have added to it: it is not written again.
    const { mtimeMs } = statSync(file)
    await send({ XDG_CACHE_HOME: cache })
    expect(statSync(file).mtimeMs).toBe(mtimeMs)
  })

  it('is extended after minutes, an hour, then each day, to keep functions that the first runs did not call', async () => {
    const cache = temporaryDirectory()
    for (let run = 0; run < 5; run++) await send({ XDG_CACHE_HOME: cache })
    const [file] = filesBelow(cache) as [string]
    const { size } = statSync(file)
    const isExtendedAfter = async (minutes: number): Promise<boolean> => {
      const then = new Date(Date.now() - minutes * 60 * 1000)
      utimesSync(file, then, then)
      await send({ XDG_CACHE_HOME: cache })
      return Date.now() - statSync(file).mtimeMs < minutes * 60 * 1000
    }
    const extended: boolean[] = []
    for (const minutes of [6, 6, 61, 61, 1441, 61, 1441]) extended.push(await isExtendedAfter(minutes))
    expect(extended).toEqual([true, false, true, false, true, false, true])
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000)
    utimesSync(file, twoDaysAgo, twoDaysAgo)
    const { code } = await runCommand(['send', '--offline', '--json', 'localhost', 'name=Joe'], {
      env: { XDG_CACHE_HOME: cache },
    })
    expect(code).toBe(0)
    expect(statSync(file).size).toBeGreaterThan(size)
    const { mtimeMs } = statSync(file)
    await send({ XDG_CACHE_HOME: cache })
    expect(statSync(file).mtimeMs).toBe(mtimeMs)
  })

  it('that is rejected is created again, even after enough runs have extended it', async () => {
    const cache = temporaryDirectory()
    for (let run = 0; run < 4; run++) await send({ XDG_CACHE_HOME: cache })
    const [file] = filesBelow(cache) as [string]
    const kept = readFileSync(file)
    const ofOtherFlags = Buffer.from(kept)
    ofOtherFlags.writeUInt32LE(kept.readUInt32LE(FLAGS_OFFSET) ^ 1, FLAGS_OFFSET)
    writeFileSync(file, ofOtherFlags)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    expect(readFileSync(file).readUInt32LE(FLAGS_OFFSET)).toBe(kept.readUInt32LE(FLAGS_OFFSET))
  })

  it('is not cached by a server that ends at once, with its own flags', async () => {
    const cache = temporaryDirectory()
    const { running, port } = await startSite([], { env: { XDG_CACHE_HOME: cache } })
    const client = connect(port, '127.0.0.1')
    // The body of the second request is not complete: it is waited for.
    const fields = ' / HTTP/1.1\r\nHost: localhost\r\n'
    client.on('error', () => undefined).write(`GET${fields}\r\nPOST${fields}Content-Length: 9\r\n\r\n`)
    await once(client, 'data')
    const ended = running.stop()
    while (await accepts(port)) {}
    running.child.kill('SIGTERM')
    expect((await ended).code).toBe(130)
    client.destroy()
    expect(filesBelow(cache)).toEqual([])
  })

  it('is cached in the home directory if no other is named', async () => {
    const home = temporaryDirectory()
    await send({ XDG_CACHE_HOME: undefined, HOME: home })
    expect(filesBelow(join(home, '.cache', 'httpcli'))).toHaveLength(1)
  })

  it.each([
    ['cut to nothing', (file: string) => truncateSync(file, 0)],
    ['cut to one byte', (file: string) => truncateSync(file, 1)],
    ['cut in the middle', (file: string) => truncateSync(file, statSync(file).size >> 1)],
    ['cut before its last byte', (file: string) => truncateSync(file, statSync(file).size - 1)],
    ['of another engine', (file: string) => writeFileSync(file, 'of another engine')],
    ['of zeros', (file: string) => writeFileSync(file, Buffer.alloc(statSync(file).size))],
  ])('that is %s is created again', async (_title, damage) => {
    const cache = temporaryDirectory()
    await send({ XDG_CACHE_HOME: cache })
    const [file] = filesBelow(cache) as [string]
    const { length } = readFileSync(file)
    damage(file)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    expect(readFileSync(file).length).toBeGreaterThan(length / 2)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
  })

  it.each(insecure)('of a directory that %s is neither read nor written', async (_title, open) => {
    const cache = temporaryDirectory()
    await send({ XDG_CACHE_HOME: cache })
    const [file] = filesBelow(cache) as [string]
    writeFileSync(file, 'planted')
    open(cache)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    expect(readFileSync(file, 'utf8')).toBe('planted')
  })

  it('is not written through a symbolic link', async () => {
    const [cache, other] = [temporaryDirectory(), temporaryDirectory()]
    symlinkSync(other, join(cache, 'httpcli'))
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    expect(filesBelow(other)).toEqual([])
  })

  it.skipIf(!isRoot)('is not written to the directory of another user', async () => {
    const cache = temporaryDirectory()
    chownSync(cache, 65_534, 65_534)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
    expect(filesBelow(cache)).toEqual([])
  })

  it.each([
    ['no home directory', { XDG_CACHE_HOME: undefined, HOME: undefined }],
    ['a relative one', { XDG_CACHE_HOME: 'here', HOME: 'there' }],
    ['one that is a file', { XDG_CACHE_HOME: '/dev/null' }],
    ['one that cannot be made', { XDG_CACHE_HOME: '/proc/none' }],
    ['a switch that turns it off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
  ])('is not needed: %s', async (_title, env) => {
    expect(await send(env)).toEqual(printed)
  })

  it('is cached for only a few builds', async () => {
    const cache = temporaryDirectory()
    mkdirSync(join(cache, 'httpcli'), { mode: 0o700 })
    const old = Array.from({ length: 9 }, (_, index) => `build-${index}`)
    for (const [index, name] of old.entries()) {
      mkdirSync(join(cache, 'httpcli', name))
      utimesSync(join(cache, 'httpcli', name), index, index)
    }
    await send({ XDG_CACHE_HOME: cache })
    const left = readdirSync(join(cache, 'httpcli')).filter((name) => name.startsWith('build-'))
    expect(left.sort()).toEqual(old.slice(-5))
  })

  it('is written intact by many processes at once', async () => {
    const cache = temporaryDirectory()
    const runs = await Promise.all(Array.from({ length: 8 }, () => send({ XDG_CACHE_HOME: cache })))
    for (const run of runs) expect(run).toEqual(printed)
    expect(filesBelow(cache)).toHaveLength(1)
    expect(await send({ XDG_CACHE_HOME: cache })).toEqual(printed)
  })
})
