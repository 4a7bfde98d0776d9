/**
 * Exit codes of the command: the contract with scripts.
 *
 * Rules: where a failed test and a failed transfer both hold, the transfer (4) is told.
 */
export const exitCodes = {
  ok: 0,
  /** The command line is wrong: unknown option, missing argument, options that exclude each other. */
  usage: 1,
  /** A request or a request file cannot be parsed. */
  invalidRequest: 2,
  /** A defect of this program. */
  internal: 3,
  /** Connect, TLS, time-out, a cut connection, a missing or unreadable file. */
  io: 4,
  /** A test or an assertion failed, or `--fail` met a status of 400 or more. */
  failedTest: 5,
  /** SIGINT. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
