/** How a WebSocket ended (RFC 6455 section 7). */

/** RFC 6455 section 7.4.1: the code of a connection that ended without a close frame. */
export const ABNORMAL_CLOSURE: number = 1006
/** RFC 6455 section 7.4.1: represents a close frame without a code. */
export const NO_STATUS: number = 1005

export interface WebSocketClosure {
  /** RFC 6455 section 7.4; 1005 if the close frame has no code, 1006 without a close frame. */
  readonly code: number
  readonly reason: string
}

/** ` with 1011 (reason)`, for messages. */
export function closureText({ code, reason }: WebSocketClosure): string {
  if (code === ABNORMAL_CLOSURE) return ' without a close frame'
  if (code === NO_STATUS) return ' without a code'
  return ` with ${code}${reason === '' ? '' : ` (${reason})`}`
}
