/**
 * Builds requests without sending them, for `httpcli.showRaw` and `httpcli.copyAsCurl`.
 *
 * Rules: shown text is masked; a command to copy contains the real values, because it has to work. At most MAX_BYTES of
 * each message are kept.
 */
import { type ConversionOptions, convert, requestFileOf } from '../../convert/index.ts'
import type { HeaderList } from '../../message/index.ts'
import type { RequestIdentity, RunEvent } from '../../runner/index.ts'
import { rawMessageText } from '../results/body-text.ts'
import { errorLine } from '../results/result-recorder.ts'
import { Refusal, type RequestRunner, type RunOrder } from './request-runner.ts'

const MAX_BYTES = 1024 * 1024

interface BuiltRequest {
  readonly request: RequestIdentity
  /** Undefined if the request needs a value that is known only during a run. */
  sent?: { readonly method: string; readonly url: string; readonly headers: HeaderList }
  readonly pieces: Uint8Array[]
  keptBytes: number
  sizeBytes: number
  readonly notes: string[]
}

/** As text, secrets masked. @throws Refusal; HttpcliError of an imported file */
export async function rawText(runner: RequestRunner, order: RunOrder, signal: AbortSignal): Promise<string> {
  const { built, session } = await build(runner, order, signal)
  const texts = built.map(({ sent, pieces, sizeBytes, notes }) => {
    const type = sent?.headers.first('content-type') ?? ''
    const text = rawMessageText(Buffer.concat(pieces), sizeBytes, type)
    return [...notes.map((note) => `${note}\n`), text].join('')
  })
  return session.mask.mask(texts.join('\n###\n\n'))
}

export interface CurlText {
  readonly text: string
  /** Parts that a curl command cannot represent, such as scripts. */
  readonly losses: readonly string[]
}

/** Variables are replaced by their values. @throws Refusal if a value is known only during a run */
export async function curlText(runner: RequestRunner, order: RunOrder, signal: AbortSignal): Promise<CurlText> {
  const { built } = await build(runner, order, signal)
  const commands: CurlText[] = []
  for (const request of built) commands.push(await commandOf(request))
  return { text: commands.map(({ text }) => text).join('\n'), losses: commands.flatMap(({ losses }) => losses) }
}

async function commandOf({ sent, pieces, sizeBytes, keptBytes, notes, request }: BuiltRequest): Promise<CurlText> {
  const place = `line ${request.line}`
  if (sent === undefined) throw new Refusal(notes.join('; ') || `${place}: the request cannot be built`)
  const message = Buffer.concat(pieces)
  const body = message.subarray(message.indexOf('\r\n\r\n') + 4)
  const isText = !body.includes(0) && Buffer.from(body.toString('utf8')).equals(body)
  if (sizeBytes > keptBytes || !isText || sent.headers.has('transfer-encoding')) {
    throw new Refusal(`${place}: the body is too large or not text. Copy the command with its variables instead.`)
  }
  const { method, url, headers } = sent
  const written = requestFileOf({
    ...{ method, url, headers: [...headers] },
    body: body.length === 0 ? undefined : { type: 'octets', octets: body },
    followsRedirects: true,
  })
  return curlOf(written.text, { from: 'http', to: 'curl' })
}

/** The requests of a text as commands that keep variables. */
export async function curlOf(text: string, options: ConversionOptions): Promise<CurlText> {
  const converted = await convert({ path: 'request', text }, options)
  return { text: converted.text, losses: converted.losses.map(({ place, message }) => `${place}: ${message}`) }
}

async function build(
  runner: RequestRunner,
  order: RunOrder,
  signal: AbortSignal,
): Promise<{ readonly built: readonly BuiltRequest[]; readonly session: Awaited<ReturnType<RequestRunner['build']>> }> {
  const built: BuiltRequest[] = []
  const listener = (event: RunEvent): void => {
    if (event.type === 'request-started') {
      built.push({ request: event.request, pieces: [], keptBytes: 0, sizeBytes: 0, notes: [] })
    }
    const open = built.at(-1)
    if (open === undefined) return
    if (event.type === 'request-sent') open.sent = event.sent
    if (event.type === 'warning') open.notes.push(`# ${event.error.message}`)
    if (event.type === 'error' || event.type === 'script-failed') open.notes.push(`# ${errorLine(event.error)}`)
    if (event.type === 'request-octets') keep(open, event.bytes)
  }
  const session = await runner.build(order, listener, signal)
  return { built, session }
}

function keep(open: BuiltRequest, bytes: Uint8Array): void {
  open.sizeBytes += bytes.length
  const kept = bytes.slice(0, MAX_BYTES - open.keptBytes)
  open.keptBytes += kept.length
  if (kept.length > 0) open.pieces.push(kept)
}
