/**
 * `httpcli lsp`: serves an editor over standard input and output.
 *
 * Rules: the exit code is 0 if the editor ends the server as the protocol requires, and 4 if the editor disappears. A
 * terminal as input is a usage error.
 */
import { versions } from 'node:process'
import { Writable } from 'node:stream'
import { serveClient } from '../../language-server/index.ts'
import { proxyFromEnvironment } from '../../wire/index.ts'
import type { Command, Output } from '../frame/command.ts'
import { exitCodes } from '../frame/exit-codes.ts'
import { UsageError } from '../frame/usage-error.ts'
import { versionNumber } from '../help/version.ts'
import type { LspValues } from '../options/lsp.ts'
import { EngineTuning, platformEngine } from '../run/engine-tuning.ts'
import { collectProxySecrets } from '../run/known-secrets.ts'
import { JsonLayout } from '../send/response/json-layout.ts'

/**
 * The runtime of the executable collects old syntax trees late. After 400 edits of a file of 2,000 lines the process
 * takes 105 MiB with a collection in each pause, and 130 to 170 MiB without.
 */
declare const Bun: { gc(isSynchronous: boolean): void }

export const lsp: Command<LspValues> = async ({ stdin, stdout, environment, workingDirectory, signal }) => {
  if (stdin.isTTY === true) {
    throw new UsageError('lsp is started by an editor, and standard input is a terminal', {
      hint: 'Write "httpcli lsp" in the settings of the editor as the command of the language server',
    })
  }
  const tuning = new EngineTuning(platformEngine())
  tuning.tuneForEditing()
  const isOrderly = await serveClient({
    input: stdin,
    output: streamOf(stdout),
    version: versionNumber(),
    environment,
    wire: { proxy: proxyFromEnvironment(environment) },
    layoutJson,
    collectSecrets: (sink) => collectProxySecrets(environment, sink),
    workingDirectory,
    signal,
    onEngineLoad: tuning.onEngineLoad,
    ...(versions.bun === undefined ? {} : { onPause: () => Bun.gc(true) }),
  }).finally(() => tuning.restore())
  return isOrderly || signal.aborted ? exitCodes.ok : exitCodes.io
}

function layoutJson(text: string): string {
  const layout = new JsonLayout(false)
  return layout.write(text) + layout.end()
}

function streamOf(output: Output): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      output.write(chunk).then(() => done(), done)
    },
  })
}
