/**
 * The measured servers, and how each is started on the same directory.
 *
 * Rules: one process for each server if it has such an option, no log, sendfile if available, the same versions of TLS.
 * A program that is not installed is omitted and named. Certificates are created for the run.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface ServerPlan {
  readonly name: string
  /** Program and arguments; undefined if the program is not installed. */
  readonly command: readonly string[] | undefined
  readonly port: number
  readonly scheme: 'http' | 'https'
}

export interface StartedServer extends ServerPlan {
  readonly child: ChildProcess
}

interface Workplace {
  /** The directory for configurations. */
  readonly directory: string
  readonly site: string
  readonly certificate: string
  readonly key: string
  readonly pair: string
}

const httpcli = process.env.HTTPCLI_MAIN ?? fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url))
const peers = fileURLToPath(new URL('../peers/node_modules/.bin', import.meta.url))

export function planServers(work: Workplace): readonly ServerPlan[] {
  const ours = (name: string, port: number, ...words: string[]): ServerPlan => ({
    name,
    port,
    scheme: words.includes('-k') ? 'https' : 'http',
    command: [process.execPath, httpcli, 'serve', work.site, '-p', String(port), ...words],
  })
  return [
    ours('httpcli', 9_801),
    ours('httpcli -l', 9_802, '-l'),
    ours('httpcli tls', 9_803, '-k', work.pair),
    nginx(work, 'nginx', 9_811, ''),
    nginx(work, 'nginx ofc', 9_812, 'open_file_cache max=20000 inactive=60s; open_file_cache_valid 1s;'),
    nginx(work, 'nginx tls', 9_813, ''),
    {
      name: 'lighttpd',
      port: 9_821,
      scheme: 'http',
      command: installed('lighttpd', '-D', '-f', lighttpdConfiguration(work, 9_821)),
    },
    {
      name: 'caddy',
      port: 9_822,
      scheme: 'http',
      command: installed('caddy', 'run', '--adapter', 'caddyfile', '--config', caddyConfiguration(work, 9_822)),
    },
    {
      name: 'sirv-cli',
      port: 9_831,
      scheme: 'http',
      command: peer('sirv', work.site, '--port', '9831', '--quiet', '--etag'),
    },
    {
      name: 'serve',
      port: 9_832,
      scheme: 'http',
      command: peer('serve', '-L', '-n', '-l', 'tcp://127.0.0.1:9832', work.site),
    },
    { name: 'http-server', port: 9_833, scheme: 'http', command: peer('http-server', work.site, '-p', '9833', '-s') },
  ]
}

/** Resolves when the server accepts connections. */
export async function startServer(plan: ServerPlan): Promise<StartedServer> {
  const [program, ...words] = plan.command ?? []
  if (program === undefined) throw new Error(`${plan.name} is not installed`)
  const environment = { ...process.env }
  delete environment.NODE_EXTRA_CA_CERTS
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit'], env: environment })
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    if (await accepts(plan.port)) return { ...plan, child }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  child.kill()
  throw new Error(`${plan.name} does not listen on ${plan.port}`)
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** Program and arguments; undefined if the program is not installed. */
export function installed(program: string, ...words: string[]): readonly string[] | undefined {
  const { status, stdout } = spawnSync('which', [program])
  return status === 0 ? [String(stdout).trim(), ...words] : undefined
}

function peer(program: string, ...words: string[]): readonly string[] | undefined {
  const file = join(peers, program)
  return existsSync(file) ? [process.execPath, file, ...words] : undefined
}

function nginx(work: Workplace, name: string, port: number, extra: string): ServerPlan {
  const isTls = name.endsWith('tls')
  const directory = join(work.directory, `nginx-${port}`)
  mkdirSync(directory, { recursive: true })
  const configuration = join(directory, 'nginx.conf')
  const listen = isTls
    ? `listen 127.0.0.1:${port} ssl http2; ssl_certificate ${work.certificate}; ssl_certificate_key ${work.key}; ssl_protocols TLSv1.2 TLSv1.3;`
    : `listen 127.0.0.1:${port};`
  writeFileSync(
    configuration,
    `worker_processes 1; daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
events { worker_connections 4096; }
http { include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; ${extra}
keepalive_requests 1000000000; client_body_temp_path ${directory};
server { ${listen} root ${work.site}; } }\n`,
  )
  return { name, port, scheme: isTls ? 'https' : 'http', command: installed('nginx', '-c', configuration) }
}

function lighttpdConfiguration(work: Workplace, port: number): string {
  const file = join(work.directory, 'lighttpd.conf')
  writeFileSync(
    file,
    `server.document-root = "${work.site}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"
server.max-keep-alive-requests = 0\nmimetype.assign = ( ".html" => "text/html", ".js" => "text/javascript" )\n`,
  )
  return file
}

function caddyConfiguration(work: Workplace, port: number): string {
  const file = join(work.directory, 'Caddyfile')
  writeFileSync(
    file,
    `{\nadmin off\nauto_https off\n}\n:${port} {\nbind 127.0.0.1\nroot * ${work.site}\nfile_server\n}\n`,
  )
  return file
}
