/**
 * Pictures of the terminal: the real output of the built command, created when the site is built.
 *
 * Rules: a document includes a picture with a line `<!-- picture: name -->`. The commands run in an empty directory
 * with the files of the picture, against `httpcli serve examples/site` on a free port, which is shown as 8080. If the
 * exit code of a command is not the expected one, the build fails.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError } from '../build-error.ts'
import type { Pictures } from './content.ts'
import { terminalPicture } from './terminal-picture.ts'

interface Picture {
  readonly caption: string
  /** The arguments of `httpcli`, each without blanks. */
  readonly command: string
  readonly exitCode: number
  readonly files: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist/cli/main.cjs')
const SHOWN_PORT = ':8080'

const shop = `@shop = http://127.0.0.1:8080

### The products
# @assert status == 200
# @assert jsonpath "$.products" count == 2
GET {{shop}}/products.json

### A page about us
# @assert status == 200
# @assert header "Content-Type" == application/json
GET {{shop}}/about.html
`

const mistakes = `@shop = http://127.0.0.1:8080

### The products
# @asert status == 200
GET {{shpo}}/products.json

> {%
  client.test('found', () => client.assert(response.stats === 200))
%}
`

const pictures: Readonly<Record<string, Picture>> = {
  send: {
    caption: 'httpcli sends a request and prints the response',
    command: 'localhost:8080/products.json',
    exitCode: 0,
    files: {},
  },
  mistake: {
    caption: 'A request with a mistake is not sent',
    command: 'send products.http',
    exitCode: 2,
    files: { 'products.http': 'GET http://localhost:8080/products.json\nAccept : application/json\n' },
  },
  run: {
    caption: 'httpcli run executes a request file; one of its assertions fails',
    command: 'run shop.http -p status',
    exitCode: 5,
    files: { 'shop.http': shop },
  },
  check: {
    caption: 'httpcli check finds mistakes and sends nothing',
    command: 'check shop.http',
    exitCode: 4,
    files: { 'shop.http': mistakes },
  },
}

export const pictureNames: readonly string[] = Object.keys(pictures)

/** Runs the commands. @throws BuildError if the command is not built or does not end as the picture requires. */
export async function makePictures(): Promise<Pictures> {
  if (!existsSync(program)) throw new BuildError('dist/cli/main.cjs not found: run "npm run build" first')
  const server = spawn(process.execPath, [program, 'serve', 'examples/site', '-p', '0'], {
    cwd: root,
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const port = await portOf(server)
    return new Map(Object.entries(pictures).map(([name, picture]) => [name, make(name, picture, port)]))
  } finally {
    server.kill('SIGTERM')
  }
}

function portOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    server.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const port = / on http:\/\/[\w.]+(:\d+)/.exec(printed)?.[1]
      if (port !== undefined) resolve(port)
    })
    server.once('error', reject)
    server.once('close', (code) => reject(new BuildError(`httpcli serve ended with exit code ${code}`)))
  })
}

function make(name: string, { caption, command, exitCode, files }: Picture, port: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'httpcli-picture-'))
  // One file for both streams, so that their lines keep their order.
  const output = join(directory, '.output')
  const descriptor = openSync(output, 'a')
  try {
    for (const [path, text] of Object.entries(files)) {
      writeFileSync(join(directory, path), text.replaceAll(SHOWN_PORT, port))
    }
    const words = command.replaceAll(SHOWN_PORT, port).split(' ')
    const { status } = spawnSync(process.execPath, [program, ...words, '--color', 'always'], {
      cwd: directory,
      env: cleanEnvironment(),
      stdio: ['ignore', descriptor, descriptor],
    })
    const printed = readFileSync(output, 'utf8').replaceAll(port, SHOWN_PORT)
    if (status !== exitCode) {
      throw new BuildError(`picture "${name}": expected exit code ${exitCode}, found ${status}: ${printed}`)
    }
    return terminalPicture(`$ httpcli ${command}\n${printed}`, caption)
  } finally {
    closeSync(descriptor)
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Nothing from the caller's environment: no proxy, no colours, no settings of Node.js. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, SystemRoot } = process.env
  return { PATH, HOME, SystemRoot, TZ: 'UTC' }
}
