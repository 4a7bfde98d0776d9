/** Messages to the client whose delivery nothing depends on. */

/** Starts `send` at once. A client may take any time to answer, refuse, or be gone: none of it is an error here. */
export function unawaited(send: () => Promise<unknown>): void {
  // Async, because a closed connection throws where it is called.
  const attempt = async (): Promise<unknown> => send()
  attempt().catch(() => undefined)
}
