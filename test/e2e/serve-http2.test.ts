import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type RunningCommand, startCommand } from '../helpers/command.ts'
import { expectService, type HostileClient, type Target } from '../helpers/hostile-clients.ts'
import {
  floodClients,
  idleClients,
  slowContentClients,
  slowFrameClients,
  slowHeadClients,
  slowTakerClients,
} from '../helpers/hostile-http2-clients.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

const keystore = fileURLToPath(new URL('../keystore/files/combined.pem', import.meta.url))
const startLine = /^Serving directory \S+ on https:\/\/127\.0\.0\.1:(\d+)$/

/** Longer than the clients of this file have patience. */
const longLimits = {
  '--header-timeout': '60',
  '--body-timeout': '60',
  '--write-timeout': '60',
  '--idle-timeout': '60',
}

let root: string

beforeEach(() => {
  root = join(temporaryDirectory(), 'site')
  mkdirSync(root)
  writeFileSync(join(root, 'a.txt'), 'hello')
  closeSync(openSync(join(root, 'big'), 'w'))
  truncateSync(join(root, 'big'), 50_000_000)
})

interface Server extends Target {
  readonly running: RunningCommand
  descriptors(): number
  memoryMib(): number
}

async function start(limits: Partial<typeof longLimits>): Promise<Server> {
  const words = Object.entries({ ...longLimits, ...limits }).flat()
  const running = await startCommand(['serve', root, '-p', '0', '-k', keystore, ...words], startLine)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  const { pid } = running.child
  return {
    running,
    isTls: true,
    port: Number(running.match[1]),
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    memoryMib: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
  }
}

/** The faults towards each client; empty without any. */
async function failures(server: Server, clients: readonly HostileClient[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(clients.map((client) => client.run(server)))
  return results.flatMap((result, index) =>
    result.status === 'rejected' ? [`${clients[index]!.name}: ${(result.reason as Error).message}`] : [],
  )
}

describe('httpcli serve over HTTP/2', () => {
  it.each([
    ['header', '--header-timeout', slowHeadClients],
    ['body', '--body-timeout', slowContentClients],
    ['write', '--write-timeout', slowTakerClients],
    ['idle', '--idle-timeout', [...idleClients, ...slowFrameClients]],
  ] as const)(
    'closes every client that exceeds the %s timeout, by that limit alone',
    async (_what, option, clients) => {
      const idle = option === '--body-timeout' ? { '--idle-timeout': '1' } : {}
      const server = await start({ ...idle, [option]: '1' })
      await expectService(server)
      const descriptors = server.descriptors()
      expect(await failures(server, clients)).toEqual([])
      await expectService(server)
      await expect.poll(() => server.descriptors(), { timeout: 10_000 }).toBeLessThanOrEqual(descriptors)
      expect([server.running.child.exitCode, server.running.stderr()]).toEqual([null, ''])
    },
    60_000,
  )

  it('serves others while clients flood it with frames', async () => {
    const server = await start({ '--write-timeout': '1', '--idle-timeout': '4' })
    await expectService(server)
    const descriptors = server.descriptors()
    for (const client of floodClients) {
      const attack = client.run(server)
      await expectService(server)
      await attack
      await expectService(server)
    }
    await expect.poll(() => server.descriptors(), { timeout: 10_000 }).toBeLessThanOrEqual(descriptors)
    expect(server.memoryMib()).toBeLessThan(250)
    expect([server.running.child.exitCode, server.running.stderr()]).toEqual([null, ''])
  }, 120_000)
})
