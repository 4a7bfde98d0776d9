/**
 * A directory that another process repeatedly replaces with a link, as fast as it can.
 *
 * Rules: the process ends when `stop` is called, and by itself after a minute.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const program = `
const { existsSync, renameSync } = require('node:fs')
const [root] = process.argv.slice(1)
const [door, closed, open] = ['door', 'closed', 'open'].map((name) => root + '/' + name)
const until = Date.now() + 60_000
let made = 0
const put = (from) => {
  for (;;) {
    try {
      return renameSync(from, door)
    } catch {
      // The program under test has made a directory of that name meanwhile.
      try { renameSync(door, root + '/made-' + made++) } catch {}
    }
  }
}
console.log('exchanging')
while (Date.now() < until && !existsSync(root + '/stop')) {
  for (let count = 0; count < 100; count++) {
    renameSync(door, closed)
    put(open)
    renameSync(door, open)
    put(closed)
  }
}
`

export interface Exchange {
  stop(): Promise<void>
}

/** Creates `root/door`, a directory with these files, and repeatedly exchanges it for a link to `outside`. */
export async function exchangeLinks(
  root: string,
  outside: string,
  files: Readonly<Record<string, string>>,
): Promise<Exchange> {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'door', name)), { recursive: true })
    writeFileSync(join(root, 'door', name), content)
  }
  symlinkSync(outside, join(root, 'open'))
  const child: ChildProcess = spawn(process.execPath, ['-e', program, root], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  return {
    stop: async () => {
      writeFileSync(join(root, 'stop'), '')
      await ended
    },
  }
}
