/** What `send` passes to `wire` with a request, apart from the settings of the connection. */
import type { WireOptions } from '../../wire/index.ts'
import type { CommandContext } from '../frame/command.ts'
import type { SendValues } from '../options/send.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { UploadProgress } from './response/progress.ts'
import type { RequestLog } from './response/request-log.ts'
import type { SendSettings } from './settings.ts'

const sessionOptions = ['cookiejar', 'retry'] as const

/** Whether any state outlasts one exchange. */
export function keepsState(
  { arguments: args }: CommandContext<SendValues>,
  digest: OutgoingRequest['digest'],
): boolean {
  return digest !== undefined || sessionOptions.some((name) => args.has(name))
}

/**
 * An interruption needs cleanup only if a partial file would be left, or a session has state to save or a wait to end;
 * otherwise the process just ends.
 */
export function exchangeOptions(
  context: CommandContext<SendValues>,
  settings: SendSettings,
  timeUp: AbortSignal | undefined,
  watch: RequestLog | UploadProgress | undefined,
  hasState = false,
): WireOptions {
  const signals = [
    ...(settings.outputFile === undefined && !hasState ? [] : [context.signal]),
    ...(timeUp === undefined ? [] : [timeUp]),
  ]
  const [signal] = signals
  return {
    ...settings.wire,
    ...(signal === undefined ? {} : { signal: signals.length === 1 ? signal : AbortSignal.any(signals) }),
    ...(watch === undefined ? {} : { onRequestBytes: (bytes: Uint8Array) => watch.write(bytes) }),
  }
}
