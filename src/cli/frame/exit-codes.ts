/**
 * Exit codes of the command: the contract with scripts.
 *
 * Rules: if both a test and a transfer failed, the transfer (4) takes precedence.
 */
export const exitCodes = {
  ok: 0,
  /** The command line is wrong: unknown option, missing argument, options that cannot be used together. */
  usage: 1,
  /** A request or a request file cannot be parsed. */
  invalidRequest: 2,
  /** A defect of this program. */
  internal: 3,
  /** Connecting, TLS or a timeout failed, a connection was interrupted, or a file is missing or unreadable. */
  io: 4,
  /** A test or an assertion failed, or a status was 400 or more with `--fail`. */
  failedTest: 5,
  /** SIGINT. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
