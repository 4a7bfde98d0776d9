/**
 * The option `--listen` of `serve`: a Unix domain socket, or a socket that systemd opened.
 *
 * Rules: systemd passes sockets from descriptor 3 on, with their number and the process in the environment
 * (sd_listen_fds(3)). Exactly one is accepted; none, or another process, is an error, because nothing would be served
 * on the requested socket.
 */
import { resolve } from 'node:path'
import { pid } from 'node:process'
import type { ServeOptions } from '../../server/index.ts'
import type { CommandContext } from '../frame/command.ts'
import { UsageError } from '../frame/usage-error.ts'
import type { ServeValues } from '../options/serve.ts'

/** SD_LISTEN_FDS_START. */
const firstDescriptor = 3

/** @throws UsageError */
export function readSocket({
  arguments: args,
  environment,
  workingDirectory,
}: CommandContext<ServeValues>): NonNullable<ServeOptions['socket']> {
  const text = args.value('listen') ?? ''
  if (text === 'systemd') return { descriptor: descriptorOf(environment) }
  const [, path] = /^unix:(?:\/\/)?(.+)$/s.exec(text) ?? []
  if (path !== undefined && !path.includes('\0')) return { path: resolve(workingDirectory, path) }
  throw new UsageError(`--listen ${JSON.stringify(text)} is neither unix:PATH nor systemd`, {
    hint: 'Write --listen unix:/run/site.sock, or give an address and a port with --host and -p.',
  })
}

function descriptorOf({ LISTEN_FDS, LISTEN_PID }: Readonly<Record<string, string | undefined>>): number {
  const hint = 'Start the command with a .socket unit of systemd, or listen on a port with -p.'
  if (LISTEN_FDS === undefined || LISTEN_PID === undefined) {
    throw new UsageError('--listen systemd: no socket was passed on (LISTEN_FDS and LISTEN_PID are not set)', { hint })
  }
  if (LISTEN_PID !== String(pid)) {
    const found = `LISTEN_PID is ${JSON.stringify(LISTEN_PID)}, this process is ${pid}`
    throw new UsageError(`--listen systemd: the socket was passed on to another process (${found})`, { hint })
  }
  if (LISTEN_FDS !== '1') {
    throw new UsageError(`--listen systemd: one socket is expected, LISTEN_FDS is ${JSON.stringify(LISTEN_FDS)}`, {
      hint: 'Give the .socket unit one ListenStream.',
    })
  }
  return firstDescriptor
}
