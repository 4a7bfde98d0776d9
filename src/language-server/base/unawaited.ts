/** Sends messages to the client without waiting for their delivery. */

/** Starts `send` immediately. It is not an error here if the client answers late, refuses, or is gone. */
export function unawaited(send: () => Promise<unknown>): void {
  // An async function, because a closed connection throws synchronously.
  const attempt = async (): Promise<unknown> => send()
  attempt().catch(() => undefined)
}
