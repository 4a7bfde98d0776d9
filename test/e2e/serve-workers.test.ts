import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type RunningCommand, runCommand, startCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

let root: string

beforeEach(() => {
  root = temporaryDirectory()
  writeFileSync(join(root, 'a.txt'), 'hello')
})

async function start(...words: string[]): Promise<RunningCommand & { readonly url: string }> {
  const running = await startCommand(
    ['serve', root, '-p', '0', '--workers', '2', ...words],
    /^Serving directory \S+ on (http:\S+)$/,
  )
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return { ...running, url: running.match[1]! }
}

/** The process ids of a process's children. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number)
}

function parentOf(name: string): number | undefined {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'latin1'))?.[1])
  } catch {
    return undefined
  }
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve))
}

const fetchText = async (url: string): Promise<string> => (await fetch(url)).text()

describe('httpcli serve --workers', () => {
  it('serves with the given number of processes, reports it once, and ends them all', async () => {
    const running = await start('-l')
    const workers = childrenOf(running.child.pid!)
    expect(workers).toHaveLength(2)
    for (let count = 0; count < 4; count++) expect(await fetchText(`${running.url}/a.txt`)).toBe('hello')
    const result = await running.stop('SIGTERM')
    expect([result.code, result.stderr.toString()]).toEqual([0, ''])
    const lines = result.stdout.toString().trimEnd().split('\n')
    expect(lines.filter((line) => line.startsWith('Serving'))).toHaveLength(1)
    expect(lines.filter((line) => line.endsWith('"GET /a.txt HTTP/1.1" 200 5'))).toHaveLength(4)
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow('ESRCH')
  })

  it('replaces a worker that died, and reports it', async () => {
    const running = await start()
    const reported = new Promise<string>((resolve) =>
      running.child.stderr!.once('data', (bytes) => resolve(String(bytes))),
    )
    const [victim, other] = childrenOf(running.child.pid!)
    process.kill(victim!, 'SIGKILL')
    expect(await reported).toBe(`httpcli serve: worker ${victim} ended (SIGKILL) and is replaced\n`)
    expect(await fetchText(`${running.url}/a.txt`)).toBe('hello')
    let workers: readonly number[] = []
    await until(() => {
      workers = childrenOf(running.child.pid!)
      return workers.length === 2
    })
    expect(workers).toContain(other)
    expect(workers).not.toContain(victim)
  })

  it('stays on its free port when all workers died', async () => {
    const running = await start()
    for (const worker of childrenOf(running.child.pid!)) process.kill(worker, 'SIGKILL')
    let answer: string | undefined
    await vi.waitUntil(
      async () => {
        answer = await fetchText(`${running.url}/a.txt`).catch(() => undefined)
        return answer !== undefined
      },
      { timeout: 30_000, interval: 100 },
    )
    expect(answer).toBe('hello')
  })

  it('keeps trying to replace a worker until it can start', async () => {
    const running = await start()
    renameSync(root, `${root}-moved`)
    const [victim] = childrenOf(running.child.pid!)
    process.kill(victim!, 'SIGKILL')
    await until(() => running.stderr().includes('the worker was not replaced: '))
    renameSync(`${root}-moved`, root)
    // One that cannot start ends again.
    await until(() => childrenOf(running.child.pid!).length === 2)
    expect(running.stderr()).toContain(`the directory ${root} does not exist; the next attempt is in 0.5 s\n`)
    const { code } = await running.stop('SIGTERM')
    expect(code).toBe(0)
  })

  it('ends with an error if no worker is left and none can start', async () => {
    const running = await start()
    renameSync(root, `${root}-moved`)
    onTestFinished(() => renameSync(`${root}-moved`, root))
    for (const worker of childrenOf(running.child.pid!)) process.kill(worker, 'SIGKILL')
    const [code] = await once(running.child, 'close')
    expect([code, running.stderr().trimEnd().split('\n').at(-1)]).toEqual([
      1,
      `httpcli serve: no worker is left, and none can start: the directory ${root} does not exist. Check the path.`,
    ])
  })

  it('leaves no worker running when the main process is killed', async () => {
    const running = await start()
    const workers = childrenOf(running.child.pid!)
    running.child.kill('SIGKILL')
    await once(running.child, 'exit')
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await until(() => !workers.some(isAlive))
  })

  it('says once why it cannot start', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const busy = await runCommand(['serve', root, '-p', String(port), '--workers', '2'])
    expect([busy.code, busy.stdout.toString()]).toEqual([4, ''])
    expect(busy.stderr.toString()).toBe(
      `httpcli serve: port ${port} on 127.0.0.1 is in use. Choose another port with -p, or -p 0 for any free one.\n`,
    )
    // Several at a time: a worker may end before it has received an answer.
    const start = () => runCommand(['serve', join(root, 'none'), '--workers', '2'])
    for (const missing of await Promise.all(Array.from({ length: 12 }, start))) {
      expect([missing.code, missing.stderr.toString()]).toEqual([
        1,
        `httpcli serve: the directory ${join(root, 'none')} does not exist. Check the path.\n`,
      ])
    }
  })

  it.each(['0', '-1', 'two', '1.5', '9999'])('refuses %s of them', async (count) => {
    const { code, stderr } = await runCommand(['serve', root, `--workers=${count}`])
    expect(code).toBe(1)
    expect(stderr.toString()).toContain(`invalid --workers ${JSON.stringify(count)}: expected a number from 1 to`)
  })
})
