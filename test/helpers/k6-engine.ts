/**
 * Runs scripts for k6: in k6 itself, whose program K6 names, or in QuickJS with k6's modules replaced.
 *
 * Rules: one iteration of one virtual user, whatever the options of the script are. The replaced modules have no
 * WebSocket, and their cookie jar knows no domains and paths. The caller closes an engine.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { commandEnvironment } from './command.ts'

/** The program of k6; undefined if it is not available. */
export const k6Program: string | undefined = process.env.K6 === '' ? undefined : process.env.K6

export interface ScriptResult {
  /** The numbers of passes and failures of each check. */
  readonly checks: Readonly<Record<string, readonly [passed: number, failed: number]>>
  /** Requests that were not sent or answered, and scripts that failed. */
  readonly errors: number
  /** The printed text. */
  readonly log: string
}

export interface ScriptEngine {
  run(path: string, environment: Readonly<Record<string, string>>): Promise<ScriptResult>
  close(): Promise<void>
}

interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** QuickJS on a thread. */
export function quickJsEngine(): ScriptEngine {
  const signal = new SharedArrayBuffer(8)
  const answer = new SharedArrayBuffer(MAX_ANSWER_BYTES)
  const flag = new Int32Array(signal)
  const path = fileURLToPath(new URL('k6-engine-worker.mjs', import.meta.url))
  const worker = new Worker(path, { workerData: { signal, answer } })
  let finish: (result: ScriptResult) => void = () => undefined
  worker.on(
    'message',
    (message: { readonly type: string; readonly request: string; readonly result: WorkerResult }) => {
      if (message.type === 'result') return finish(resultOf(message.result))
      void send(JSON.parse(message.request) as SentRequest).then((text) => {
        const bytes = Buffer.from(text)
        new Uint8Array(answer).set(bytes)
        flag[1] = bytes.length
        Atomics.store(flag, 0, 1)
        Atomics.notify(flag, 0)
      })
    },
  )
  return {
    run: (script, environment) =>
      new Promise((resolve) => {
        finish = resolve
        worker.postMessage({ path: script, environment })
      }),
    close: async () => {
      await worker.terminate()
    },
  }
}

interface WorkerResult {
  readonly checks: readonly (readonly [name: string, holds: boolean])[]
  readonly errors: number
  readonly log: readonly string[]
}

function resultOf({ checks, errors, log }: WorkerResult): ScriptResult {
  const counts: Record<string, [number, number]> = {}
  for (const [name, holds] of checks) {
    counts[name] ??= [0, 0]
    counts[name][holds ? 0 : 1]++
  }
  return { checks: counts, errors, log: log.join('\n') }
}

/** Answers as k6/http does. */
function send({ method, url, headers, body }: SentRequest): Promise<string> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      resolve(JSON.stringify({ status: 0, status_text: '', proto: '', error: error.message, headers: {}, cookies: {} }))
    }
    const bytes = body === null ? undefined : Buffer.from(body, 'hex')
    const latin = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')])
    const length = bytes === undefined ? {} : { 'Content-Length': String(bytes.length) }
    const sent = httpRequest(url, { method, headers: { ...Object.fromEntries(latin), ...length } }, (response) => {
      const { remoteAddress, remotePort } = response.socket
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('end', () => {
        const { statusCode, statusMessage, headers: fields } = response
        const shown = Object.entries(fields).map(([name, value]) => [
          name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()),
          ([] as string[]).concat(value ?? []).join(', '),
        ])
        const answer = {
          ...{ status: statusCode, status_text: `${statusCode} ${statusMessage}`, proto: 'HTTP/1.1', error: '' },
          ...{ headers: Object.fromEntries(shown), cookies: cookiesOf(fields['set-cookie'] ?? []) },
          ...{ remote_ip: remoteAddress, remote_port: remotePort },
          body: Buffer.concat(pieces).toString('hex'),
        }
        resolve(JSON.stringify(answer))
      })
      response.on('error', fail)
    })
    sent.on('error', fail)
    sent.end(bytes)
  })
}

function cookiesOf(fields: readonly string[]): object {
  const cookies: Record<string, object[]> = {}
  for (const field of fields) {
    const [pair = '', ...attributes] = field.split(/; */)
    const [name = '', ...value] = pair.split('=')
    const attribute = (wanted: string): string =>
      attributes.find((each) => each.toLowerCase().startsWith(wanted))?.split('=')[1] ?? ''
    cookies[name] = [
      {
        ...{ name, value: value.join('='), domain: attribute('domain'), path: attribute('path') },
        ...{ max_age: Number(attribute('max-age')), expires: Date.parse(attribute('expires')) || 0 },
        secure: attributes.some((each) => /^secure$/i.test(each)),
        http_only: attributes.some((each) => /^httponly$/i.test(each)),
      },
    ]
  }
  return cookies
}

/** k6 itself. */
export function k6Engine(program: string): ScriptEngine {
  return {
    run: async (path, environment) => {
      const summary = `${path}.json`
      const words = [
        'run',
        '--quiet',
        '--no-usage-report',
        '--vus',
        '1',
        '--iterations',
        '1',
        '-e',
        `SUMMARY=${summary}`,
      ]
      const flags = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])
      const options = { cwd: dirname(path), env: commandEnvironment() }
      const { stdout, stderr } = await promisify(execFile)(program, [...words, ...flags, path], options).catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      const found = existsSync(summary) ? (JSON.parse(readFileSync(summary, 'utf8')) as Summary) : undefined
      rmSync(join(summary), { force: true })
      const checks = found?.root_group.checks.map(({ name, passes, fails }) => [name, [passes, fails]] as const) ?? []
      const errors = found?.metrics.httpcli_errors?.values.count ?? (found === undefined ? 1 : 0)
      return { checks: Object.fromEntries(checks), errors, log: stdout + stderr }
    },
    close: async () => undefined,
  }
}

interface Summary {
  readonly metrics: { readonly httpcli_errors?: { readonly values: { readonly count: number } } }
  readonly root_group: {
    readonly checks: readonly { readonly name: string; readonly passes: number; readonly fails: number }[]
  }
}
