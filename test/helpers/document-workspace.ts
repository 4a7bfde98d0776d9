/**
 * The directory in which the examples of a page run, and the servers that they connect to.
 *
 * Rules: `httpcli serve` runs in the background, on a free port that replaces the documented one, until the page starts
 * the next one; before that http://127.0.0.1:8080 is examples/site. http://localhost:3000 is the example server, until
 * the page starts its own with `node api.mjs`; localhost:50051 is a gRPC server. Output is printed with the ports and
 * the directory that the page shows. The caller closes a workspace.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { commandEnvironment, commandLine, type RunningCommand, startCommand } from './command.ts'
import { projectRoot } from './document.ts'
import { type ExampleServer, startExampleServer } from './example-server.ts'
import { type GrpcPeer, grpcServer } from './grpc-server.ts'

const execute = promisify(execFile)

/** Servers and directories that all workspaces share. */
export interface DocumentServers {
  /** Contains the command as `httpcli`, and is the home directory for the examples. */
  readonly home: string
  readonly api: ExampleServer
  readonly site: RunningCommand
  /** The server of test/fixtures/grpc/shop.proto: `localhost:50051`. */
  readonly grpc: GrpcPeer
}

/** Starts the servers; `stopDocumentServers` stops them and removes everything that was created. */
export async function startDocumentServers(): Promise<DocumentServers> {
  const home = mkdtempSync(join(tmpdir(), 'httpcli-documents-'))
  const command = join(home, 'httpcli')
  const words = commandLine().map((word) => `'${word}'`)
  writeFileSync(command, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`)
  chmodSync(command, 0o755)
  return {
    home,
    api: await startExampleServer(home),
    site: await startSite(['examples/site'], projectRoot),
    grpc: await grpcServer(),
  }
}

export async function stopDocumentServers({ home, api, site, grpc }: DocumentServers): Promise<void> {
  api.close()
  grpc.close()
  await site.stop()
  rmSync(home, { recursive: true, force: true })
}

export class DocumentWorkspace {
  readonly #servers: DocumentServers
  readonly #directory: string
  #served: RunningCommand | undefined
  #documentedPort = '8080'
  #apiPort: number
  readonly #stops: (() => void)[] = []
  /** The number of characters of the server's output that have been examined. */
  #seenLength = 0

  /** A directory with the examples of the project and `files`; `name` distinguishes it from others. */
  constructor(servers: DocumentServers, name: string, files: Readonly<Record<string, string>>) {
    this.#servers = servers
    this.#apiPort = servers.api.port
    this.#directory = join(servers.home, name.replace(/\W/g, '-'))
    // The search for environment files upwards ends at a repository.
    mkdirSync(join(this.#directory, '.git'), { recursive: true })
    cpSync(join(projectRoot, 'examples'), join(this.#directory, 'examples'), { recursive: true })
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  write(path: string, text: string): void {
    const target = join(this.#directory, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, this.#actual(text))
  }

  async close(): Promise<void> {
    await this.#stopSite()
    for (const stop of this.#stops) stop()
  }

  /** The output of a command, including standard error, followed by `(ended with 4)` for any exit code other than 0. */
  async perform(command: string): Promise<string> {
    const serve = /^httpcli serve ([^;|&]+)$/.exec(command)
    if (serve !== null) return this.#serve(wordsOf(this.#actual(serve[1]!)))
    const api = /^node (\S*api\.mjs)(?: (\S+))?$/.exec(command)
    if (api !== null) return this.#startApi(api[1]!, api[2])
    const { home } = this.#servers
    const env = commandEnvironment({ PATH: `${home}:${process.env.PATH}`, HOME: home })
    const script = `exec 2>&1\n${this.#actual(command)}`
    const { stdout } = await execute('bash', ['-c', script], { cwd: this.#directory, env }).catch(
      (error: { stdout: string; code: number }) => ({ stdout: `${error.stdout}\n(ended with ${error.code})` }),
    )
    return this.#documented(stdout)
  }

  /** The output of the page's server since `forgetLog` was called. */
  log(): string {
    return this.#documented((this.#served?.stdout() ?? '').slice(this.#seenLength))
  }

  forgetLog(): void {
    this.#seenLength = this.#served?.stdout().length ?? 0
  }

  /** Starts the API of the page on a free port, or on the socket that the page names. */
  async #startApi(file: string, socket: string | undefined): Promise<string> {
    const child = spawn(process.execPath, [file, socket ?? '0'], {
      cwd: this.#directory,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#stops.push(() => child.kill('SIGKILL'))
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const port = /:(\d+)$/.exec(line.trimEnd())?.[1]
    if (port !== undefined) this.#apiPort = Number(port)
    return this.#documented(line)
  }

  async #stopSite(): Promise<void> {
    await this.#served?.stop('SIGKILL')
  }

  async #serve(words: readonly string[]): Promise<string> {
    await this.#stopSite()
    const place = words.findIndex((word) => word === '-p' || word === '--port')
    this.#documentedPort = place < 0 ? '8080' : words[place + 1]!
    this.#seenLength = 0
    this.#served = await startSite(place < 0 ? words : words.toSpliced(place, 2), this.#directory)
    const first = this.log()
    this.forgetLog()
    return first
  }

  get #port(): string {
    return (this.#served ?? this.#servers.site).match[1]!
  }

  #actual(text: string): string {
    return text
      .replaceAll(new RegExp(`(?<=[a-z\\d]):${this.#documentedPort}\\b`, 'g'), `:${this.#port}`)
      .replaceAll('localhost:50051', this.#servers.grpc.address)
      .replaceAll('localhost:3000', `127.0.0.1:${this.#apiPort}`)
      .replaceAll(/(?<= ):3000\b/g, `:${this.#apiPort}`)
  }

  #documented(text: string): string {
    return text
      .replaceAll(this.#servers.grpc.address, 'localhost:50051')
      .replaceAll(`127.0.0.1:${this.#apiPort}`, 'localhost:3000')
      .replaceAll(`localhost:${this.#apiPort}`, 'localhost:3000')
      .replaceAll(`:${this.#port}`, `:${this.#documentedPort}`)
      .replaceAll(this.#directory, '/home/joe/project')
  }
}

function startSite(words: readonly string[], cwd: string): Promise<RunningCommand> {
  return startCommand(['serve', ...words, '-p', '0'], / on https?:\/\/[\w.]+:(\d+)/, { cwd })
}

/** The words of a line as a shell would split it; in commands that serve, only single quotes are used. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''))
}
