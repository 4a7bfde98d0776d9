/**
 * Which messages of a client are handled, by the lifetime of the server (LSP 3.18, "Server lifecycle").
 *
 * Rules: before `initialize`, and after `shutdown`, requests are answered with an error, and notifications are dropped,
 * except for `exit`; `initialize` may be sent once.
 */
import {
  ErrorCodes,
  Message,
  type MessageStrategy,
  type MessageWriter,
  type RequestMessage,
} from 'vscode-languageserver-protocol/node'

type Phase = 'new' | 'running' | 'shut-down'

interface Refusal {
  readonly code: number
  readonly message: string
}

const refusals: Readonly<Record<Exclude<Phase, 'running'>, Refusal>> = {
  new: { code: ErrorCodes.ServerNotInitialized, message: 'the server is not initialized: send "initialize" first' },
  'shut-down': { code: ErrorCodes.InvalidRequest, message: 'the server is shut down: expected "exit"' },
}
const initializedTwice: Refusal = { code: ErrorCodes.InvalidRequest, message: 'the server is already initialized' }

/** @param writer sends the errors */
export function lifetimeOver(writer: MessageWriter): MessageStrategy {
  let phase: Phase = 'new'
  const refusalOf = ({ method }: RequestMessage): Refusal | undefined => {
    if (method === 'initialize') {
      if (phase === 'running') return initializedTwice
      if (phase === 'new') phase = 'running'
    }
    const refusal = phase === 'running' ? undefined : refusals[phase]
    if (method === 'shutdown' && refusal === undefined) phase = 'shut-down'
    return refusal
  }
  return {
    handleMessage: (message, next) => {
      if (Message.isRequest(message)) {
        const error = refusalOf(message)
        // A client that is gone needs no answer.
        if (error !== undefined)
          return writer.write({ jsonrpc: '2.0', id: message.id, error } as Message).catch(() => undefined)
      }
      if (Message.isNotification(message) && phase !== 'running' && message.method !== 'exit') return undefined
      return next(message)
    },
  }
}
