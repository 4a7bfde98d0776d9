/**
 * What the option table is made of, and the options that several sub-commands share.
 *
 * Rules: an option is here when, and only when, its command does what it says. An option with an `argument` takes a
 * value, one without is a flag. The order in a table is the order of the help.
 */
/** What has names in request files and environment files. */
export type NameKind = 'environments' | 'requests' | 'tags'

export interface OptionSpecification {
  /** Name after the two dashes. */
  readonly long: string
  /** Letter after one dash. */
  readonly short?: string
  /** What the help writes for the value, such as `<file>`; absent for a flag. */
  readonly argument?: string
  /** The option stands for itself, too; its value is then the one that its description calls the default. */
  readonly isValueOptional?: true
  /** The only values that are taken. */
  readonly choices?: readonly string[]
  /** What the values are names of, for completion: they are in the files of the command line. */
  readonly names?: NameKind
  /** The value is a password: no error shows it. */
  readonly isSecret?: true
  /** May be given several times; every value counts. */
  readonly repeatable?: true
  readonly description: string
}

export interface PositionalSpecification {
  /** What the help and the errors call it, such as `<dir>`. */
  readonly name: string
  readonly required: boolean
  readonly description: string
  /** The last one of a table may stand for several words. */
  readonly repeatable?: true
  /** Words that it may be, for completion. */
  readonly choices?: readonly string[]
  /** Endings of the files that it may be, such as `.http`, for completion; absent for any file. */
  readonly endings?: readonly string[]
}

export interface Example {
  readonly command: string
  readonly purpose: string
}

export interface CommandSpecification {
  readonly name: string
  readonly summary: string
  /** One or two sentences on input and output, below the usage line of the help. */
  readonly description: string
  readonly examples: readonly Example[]
  readonly positionals: readonly PositionalSpecification[]
  readonly options: readonly OptionSpecification[]
  /** Long names, or the name of a positional: at most one of each group may be given. */
  readonly exclusive: readonly (readonly string[])[]
}

export const color: OptionSpecification = {
  long: 'color',
  argument: '<when>',
  choices: ['auto', 'always', 'never'],
  description: 'When to colour what is written. Default auto: on a terminal.',
}

export const debug: OptionSpecification = {
  long: 'debug',
  description: 'Show error codes, causes and stack traces.',
}

/** Asked for in every sub-command, and answered by the frame before the sub-command is loaded. */
export const helpOption: OptionSpecification = { long: 'help', short: 'h', description: 'Show this help.' }

export const ignoreTlsCertificate: OptionSpecification = {
  long: 'ignore-tls-cert',
  short: 'i',
  description: 'Do not validate the TLS certificate of the server.',
}

export const printResponseMode: OptionSpecification = {
  long: 'print-response-mode',
  short: 'p',
  argument: '<mode>',
  choices: ['response', 'all', 'body', 'status', 'stats'],
  description: 'What to print; all is the response and the statistics. Default response.',
}

export const logRequest: OptionSpecification = {
  long: 'log-request',
  short: 'l',
  description: 'Print the request as it is sent, before the response.',
}

/** How servers are reached: the same wherever requests are sent. */
export const connectionOptions: readonly OptionSpecification[] = [
  { long: 'connect-timeout', argument: '<seconds>', description: 'Time to connect. Default 10; 0 means no limit.' },
  {
    long: 'timeout',
    argument: '<seconds>',
    description: 'Time to the first byte, and between bytes. Default 30; 0 means no limit.',
  },
  { long: 'cacert', argument: '<file>', description: 'Trust the certificates of this PEM file and no others.' },
  { long: 'cert', argument: '<file>', description: 'Client certificate: PEM, or a PKCS12 or JKS keystore.' },
  { long: 'key', argument: '<file>', description: 'Private key of the client certificate (PEM).' },
  {
    long: 'key-password',
    argument: '<password>',
    isSecret: true,
    description: 'Password of the private key or the keystore; @<file> and env:<name> keep it off the command line.',
  },
  { long: 'servername', argument: '<name>', description: 'Host name for TLS: asked for and verified.' },
  {
    long: 'proxy',
    argument: '<url>',
    description: 'Proxy instead of the one that the environment names; an empty one is none.',
  },
  { long: 'noproxy', argument: '<list>', description: 'Hosts that are reached without a proxy.' },
  {
    long: 'resolve',
    argument: '<host:port:addr>',
    repeatable: true,
    description: 'Connect to this address for that host and port.',
  },
  { long: 'unix-socket', short: 'U', argument: '<socket>', description: 'Connect to a Unix domain socket.' },
]

export const failOnStatus: OptionSpecification = {
  long: 'fail',
  description: 'Exit with 5 when the status is 400 or more.',
}

export const noDecode: OptionSpecification = {
  long: 'no-decode',
  description: 'Print the body as it was sent: do not undo gzip, deflate, br or zstd.',
}
