/**
 * `npm run demo`: demonstrates the built command. Serves examples/site on a free port, sends requests to it, runs
 * examples/demo.http against it, and shows the output.
 *
 * Rules: all output, including errors, is that of the command; the server's log comes last, so that it does not mix
 * with other output. All created files are removed; the exit code is 1 if a step did not end as expected.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const entry = join(root, 'dist/cli/main.cjs')

interface Step {
  readonly title: string
  readonly words: readonly string[]
  /** The exit code with which the step succeeds. Default 0. */
  readonly exitCode?: number
}

if (!existsSync(entry)) throw new Error('dist/cli is missing: run "npm run build" first')
const directory = mkdtempSync(join(tmpdir(), 'httpcli-demo-'))
const server = start(['serve', 'examples/site', '-p', '0', '-l'])
const closed = once(server, 'close')
let log = ''
let failures = 0
try {
  const base = await startedServer()
  for (const step of stepsFor(base)) {
    if (!(await perform(step))) failures += 1
  }
} finally {
  server.kill('SIGTERM')
  await closed
  rmSync(directory, { recursive: true, force: true })
}
process.stdout.write(`\n# What the server logged\n${log}`)
process.stdout.write(failures === 0 ? '\nDone: every step ended as it should.\n' : `\n${failures} steps failed.\n`)
process.exitCode = failures === 0 ? 0 : 1

function stepsFor(base: string): readonly Step[] {
  const requests = join(directory, 'demo.http')
  copyFileSync(join(root, 'examples/demo.http'), requests)
  const environment = { demo: { host: base, 'product-id': 2 } }
  writeFileSync(join(directory, 'http-client.env.json'), JSON.stringify(environment))
  return [
    { title: 'Which httpcli is this?', words: ['--version'] },
    { title: 'Send a request and see the response', words: ['send', '-t', `GET ${base}/products.json`] },
    { title: 'See only the status line', words: ['send', '-t', `GET ${base}/`, '-p', 'status'] },
    {
      title: 'See the request as it is sent, the response, and how long it took',
      words: ['send', '-l', '-p', 'all', '-t', `GET ${base}/about\nAccept: application/json`],
    },
    {
      title: 'Replace the body; look, but do not send',
      words: ['send', '--offline', '-t', `POST ${base}/users`, '-b', '{"name":"Joe"}'],
    },
    {
      title: 'Turn a status of 400 or more into an exit code (5)',
      words: ['send', '--fail', '-p', 'status', '-t', `GET ${base}/nowhere`],
      exitCode: 5,
    },
    {
      title: 'See where a request is wrong (exit code 2)',
      words: ['send', '-t', `GET ${base}/\nAccept : */*`],
      exitCode: 2,
    },
    { title: 'Run a request file with tests', words: ['run', requests, '-e', 'demo', '-p', 'status'] },
  ]
}

async function perform({ title, words, exitCode = 0 }: Step): Promise<boolean> {
  process.stdout.write(`\n# ${title}\n$ httpcli ${words.map(quoted).join(' ')}\n`)
  const child = start(words)
  let last = ''
  const show = (chunk: Buffer): void => {
    last = chunk.toString().at(-1) ?? last
    process.stdout.write(chunk)
  }
  child.stdout.on('data', show)
  child.stderr.on('data', show)
  const [code] = (await once(child, 'close')) as [number | null]
  if (last !== '' && last !== '\n') process.stdout.write('\n')
  if (code === exitCode) return true
  process.stdout.write(`This ended with exit code ${code}; ${exitCode} was expected.\n`)
  return false
}

/** The address that the server prints once it accepts connections; everything that it prints later is its log. */
function startedServer(): Promise<string> {
  process.stdout.write('# Serve a directory on a free port, with a log\n$ httpcli serve examples/site -p 0 -l\n')
  return new Promise((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => process.stdout.write(chunk))
    server.stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      const start = /^Serving .* on (http:\/\/[^\s/]+).*\n/.exec(log)
      if (start === null) return
      log = log.slice(start[0].length)
      process.stdout.write(start[0])
      resolve(start[1] ?? '')
    })
    server.once('close', (code) => reject(new Error(`the server ended with exit code ${code} before it served`)))
  })
}

function start(words: readonly string[]): ChildProcessWithoutNullStreams {
  const environment = { ...process.env }
  // The demo connects only to this machine, and Node.js 20 would read the bundle named here at every start.
  for (const name of ['NODE_EXTRA_CA_CERTS', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']) {
    delete environment[name]
  }
  const child = spawn(process.execPath, [entry, ...words], { cwd: root, env: environment })
  child.stdin.end()
  return child
}

/** Quoted as a shell requires. */
function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
