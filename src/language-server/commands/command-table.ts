/** The commands of the server: their names, and their titles above a request. */

export const commandNames = [
  'httpcli.send',
  'httpcli.sendWithEnvironment',
  'httpcli.runToHere',
  'httpcli.runFile',
  'httpcli.copyAsCurl',
  'httpcli.showRaw',
  'httpcli.cancel',
  'httpcli.environments',
  'httpcli.chooseEnvironment',
  'httpcli.clearSession',
] as const

export type CommandName = (typeof commandNames)[number]

/** A command that the editor offers at a request. */
export interface OfferedCommand {
  readonly command: CommandName
  readonly title: string
  /** Where the command is offered. Default: at every request. */
  readonly place?: 'first' | 'not-first' | 'with-environments'
}

export const offeredCommands: readonly OfferedCommand[] = [
  { command: 'httpcli.send', title: 'Send' },
  { command: 'httpcli.sendWithEnvironment', title: 'Send with environment …', place: 'with-environments' },
  { command: 'httpcli.runToHere', title: 'Run to here', place: 'not-first' },
  { command: 'httpcli.runFile', title: 'Run file', place: 'first' },
  { command: 'httpcli.copyAsCurl', title: 'Copy as curl' },
  { command: 'httpcli.showRaw', title: 'Show as raw' },
]
