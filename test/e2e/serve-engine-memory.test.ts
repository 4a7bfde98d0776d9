import { writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isStandalone, type RunningCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))

/** Writes the size of the young generation for each signal. */
const probe = `
const { getHeapSpaceStatistics } = require('node:v8')
process.on('SIGUSR2', () => {
  const space = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space')
  process.stderr.write('young ' + space.space_size + ' bytes\\n')
})
`

let root: string
let probeFile: string

beforeEach(() => {
  root = temporaryDirectory()
  probeFile = join(temporaryDirectory(), 'probe.cjs')
  writeFileSync(join(root, 'a.txt'), 'hello')
  writeFileSync(probeFile, probe)
})

async function start(...words: string[]): Promise<RunningCommand> {
  const line = /^Serving directory \S+ on https?:\/\/127\.0\.0\.1:(\d+)$/
  const env = { NODE_OPTIONS: `--require=${probeFile}` }
  const running = await startCommand(['serve', root, '-p', '0', ...words], line, { env })
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return running
}

async function youngBytes(running: RunningCommand): Promise<number> {
  const found = () => [...running.stderr().matchAll(/^young (\d+) bytes$/gm)].map(([, bytes]) => Number(bytes))
  const { length } = found()
  running.child.kill('SIGUSR2')
  await expect.poll(() => found().length).toBe(length + 1)
  return found().at(-1)!
}

async function request(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({ ':path': '/a.txt' })
  stream.resume()
  await new Promise((resolve, reject) => stream.once('close', resolve).once('error', reject))
}

const inParallel = 50

// The engine of the executable is another one.
describe.skipIf(isStandalone)("the engine's memory for short-lived objects", () => {
  it('grows for HTTP/2, up to its limit', async () => {
    const running = await start('-k', keystore)
    const session = connect(`https://127.0.0.1:${running.match[1]}`, { rejectUnauthorized: false })
    onTestFinished(() => session.destroy())
    const before = await youngBytes(running)
    const sizes = [before]
    for (let round = 0; round < 200; round++) {
      await Promise.all(Array.from({ length: inParallel }, () => request(session)))
      if (round % 20 === 19) sizes.push(await youngBytes(running))
    }
    expect(Math.max(...sizes)).toBeGreaterThan(before)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8_388_608)
  })

  it('stays as small as at the start without TLS', async () => {
    const running = await start()
    const before = await youngBytes(running)
    const agent = new Agent({ keepAlive: true, maxSockets: inParallel })
    onTestFinished(() => agent.destroy())
    for (let round = 0; round < 60; round++) {
      await Promise.all(
        Array.from({ length: inParallel }, async () => {
          const url = `http://127.0.0.1:${running.match[1]}/a.txt`
          await new Promise((resolve, reject) => {
            get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject)
          })
        }),
      )
    }
    expect(await youngBytes(running)).toBeLessThanOrEqual(before)
  })
})
