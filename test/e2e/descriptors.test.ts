/** The command in a process that may open few files, on both distributions. Windows has no such limit. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { platform } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStandalone, runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { listening, onHead } from '../wire/peer.ts'

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, '.git'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

async function run(openFiles: number, words: readonly string[], directory: string): Promise<Outcome> {
  const { code, stdout, stderr } = await runCommand(words, { cwd: directory, limits: `ulimit -n ${openFiles}` })
  return { code, out: stdout.toString(), err: stderr.toString() }
}

/** Answers each request and closes; counts the connections that are open at the same time. */
function countingServer(): { readonly serve: (socket: Socket) => void; readonly most: () => number } {
  let open = 0
  let most = 0
  return {
    serve: (socket) => {
      most = Math.max(most, ++open)
      socket.on('close', () => open--)
      socket.on('error', () => undefined)
      // In the next turn, so that connections that come together are open together.
      onHead(() =>
        setImmediate(() => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok')),
      )(socket)
    },
    most: () => most,
  }
}

describe.skipIf(platform() === 'win32')('if the process may open few files', () => {
  it.each([64, 256])('jobs of a run wait for each other: %d files', async (openFiles) => {
    const { serve, most } = countingServer()
    const port = await listening(createServer(serve))
    const directory = directoryWith({ 'a.http': `GET http://127.0.0.1:${port}/` })
    const words = ['run', 'a.http', '--repeat', '400', '--parallel', '300', '--report', 'junit=r.xml', '-p', 'status']
    const ran = await run(openFiles, words, directory)
    const note = `jobs run at a time, because this process may open ${openFiles} files (ulimit -n)`
    expect(ran.err).toMatch(/^note: \d+ of 300 jobs run at a time.*\n/)
    expect(ran.err).toContain(note)
    expect([ran.code, ran.err.includes('400 requests: 400 answered, 0 failed')]).toEqual([0, true])
    expect(most()).toBeLessThan(openFiles)
    expect(readFileSync(join(directory, 'r.xml'), 'utf8').match(/<testcase /g)?.length).toBe(400)
  })

  it('body and response files are opened', async () => {
    const port = await listening(createServer(countingServer().serve))
    const request = `POST http://127.0.0.1:${port}/\n\n< ./body.txt\n\n>>! out-{{$random.uuid}}.txt\n`
    const directory = directoryWith({ 'a.http': request, 'body.txt': 'x'.repeat(100_000) })
    const ran = await run(64, ['run', 'a.http', '--repeat', '150', '--parallel', '150', '-p', 'status'], directory)
    expect([ran.code, ran.err.match(/^(?:note|warning|httpcli)/gm)?.length]).toEqual([0, 1])
    const saved = readdirSync(directory).filter((name) => name.includes('out-'))
    expect(saved.map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual(Array(150).fill('ok'))
  })

  it('every job with scripts gets its engine', async () => {
    const port = await listening(createServer(countingServer().serve))
    const script = "> {% client.test('each', () => client.assert(/200/.test(response.status))) %}"
    const directory = directoryWith({ 'a.http': `GET http://127.0.0.1:${port}/\n\n${script}\n` })
    const ran = await run(64, ['run', 'a.http', '--repeat', '12', '--parallel', '12', '-p', 'status'], directory)
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/^note: \d+ of 12 jobs run at a time/)])
    expect(ran.err).toContain('12 requests: 12 answered, 0 failed; 12 tests: 12 passed')
  })

  it('idle connections make room for new ones', async () => {
    const answer = onHead((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))
    const ports = await Promise.all(Array.from({ length: 45 }, () => listening(createServer(answer))))
    const requests = ports.map((port) => `###\nGET http://127.0.0.1:${port}/\n`)
    const ran = await run(30, ['run', 'a.http', '-p', 'status'], directoryWith({ 'a.http': requests.join('\n') }))
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('45 requests: 45 answered, 0 failed')])
    expect(ran.err).not.toMatch(/^(?:note|warning|httpcli)/m)
  })

  it('hundreds of files are checked, formatted and run', async () => {
    const port = await listening(createServer(countingServer().serve))
    const files = Object.fromEntries(
      Array.from({ length: 320 }, (_, index) => [`${index}.http`, `GET http://127.0.0.1:${port}/${index}\n`]),
    )
    const directory = directoryWith(files)
    for (const words of [
      ['check', '.'],
      ['fmt', '--check', '.'],
      ['run', '--dry-run', '.'],
      ['run', '--parallel', '50', '.'],
    ]) {
      const { code, err } = await run(40, words, directory)
      expect([words, code, err.replace(/^note: .*\n/, '')]).toEqual([words, 0, ''])
    }
  })

  // The runtime itself does not start with the fewest of these.
  const fewest = Array.from({ length: isStandalone ? 6 : 12 }, (_, index) => index + (isStandalone ? 4 : 15))

  it.each([
    ['send', ['send', '-t', 'GET http://localhost:$P/', '-p', 'status']],
    ['run', ['run', 'a.http', '-p', 'status']],
  ])('%s reports it if not even one connection or file can be opened', async (_name, words) => {
    const port = await listening(createServer(countingServer().serve))
    const directory = directoryWith({ 'a.http': `POST http://localhost:${port}/\n\n< ./a.http\n` })
    const line = words.map((word) => word.replace('$P', String(port)))
    const reports: Outcome[] = []
    for (const openFiles of fewest) {
      const ran = await run(openFiles, line, directory)
      // A heading may precede the report.
      if (/^httpcli /m.test(ran.err)) reports.push(ran)
    }
    expect(reports).not.toEqual([])
    for (const { code, err } of reports) {
      expect([code, err]).toEqual([4, expect.stringMatching(/^httpcli \w+: .*(open files|EMFILE)/m)])
    }
  })
})
