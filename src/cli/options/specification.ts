/**
 * The types of the option table, and the options that several sub-commands share.
 *
 * Rules: an option is listed if, and only if, its command implements it. An option with an `argument` takes a value; an
 * option without is a flag. The order in a table is the order of the help.
 */
/** The kinds of names in request files and environment files. */
export type NameKind = 'environments' | 'requests' | 'tags'

export interface OptionSpecification {
  /** Name after the two dashes. */
  readonly long: string
  /** Letter after one dash. */
  readonly short?: string
  /** The name of the value in the help, such as `<file>`; absent for a flag. */
  readonly argument?: string
  /** The option may be given without a value; it then has the default value that its description states. */
  readonly isValueOptional?: true
  /** The only values that are accepted. */
  readonly choices?: readonly string[]
  /** For completion: the kind of name that the value is. The names come from the files on the command line. */
  readonly names?: NameKind
  /** The value is a password, which no error may show. */
  readonly isSecret?: true
  /** The option may be given several times; every value counts. */
  readonly repeatable?: true
  readonly description: string
}

/**
 * The values of a table's options, by long name: `true` for a flag, a list for a repeatable option, otherwise a text or
 * one of the choices.
 */
export type ValuesOf<Options extends readonly OptionSpecification[]> = {
  readonly [Option in Options[number] as Option['long']]: ValueOf<Option>
}

type ValueOf<Option extends OptionSpecification> = Option extends { readonly argument: string }
  ? Option extends { readonly repeatable: true }
    ? readonly string[]
    : Option extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string
  : true

export interface PositionalSpecification {
  /** Its name in the help and in errors, such as `<dir>`. */
  readonly name: string
  readonly required: boolean
  readonly description: string
  /** Whether it takes several words; only allowed for the last one of a table. */
  readonly repeatable?: true
  /** Possible words, for completion. */
  readonly choices?: readonly string[]
  /** For completion: extensions of possible files, such as `.http`; absent for any file. */
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

export const color = {
  long: 'color',
  argument: '<when>',
  choices: ['auto', 'always', 'never'],
  description: 'When to colour output. Default auto: on a terminal.',
} as const satisfies OptionSpecification

export const debug = {
  long: 'debug',
  description: 'Show error codes, causes and stack traces.',
} as const satisfies OptionSpecification

/** Accepted by every sub-command, and handled by the frame before the sub-command is loaded. */
export const helpOption = {
  long: 'help',
  short: 'h',
  description: 'Show this help.',
} as const satisfies OptionSpecification

export const ignoreTlsCertificate = {
  long: 'ignore-tls-cert',
  short: 'i',
  description: 'Do not validate the TLS certificate of the server.',
} as const satisfies OptionSpecification

export const printResponseMode = {
  long: 'print-response-mode',
  short: 'p',
  argument: '<mode>',
  choices: ['response', 'all', 'body', 'status', 'stats'],
  description: 'What to print; all is the response and the statistics. Default response.',
} as const satisfies OptionSpecification

export const logRequest = {
  long: 'log-request',
  short: 'l',
  description: 'Print the request as it is sent, before the response.',
} as const satisfies OptionSpecification

export const cookieJar = {
  long: 'cookiejar',
  short: 'c',
  argument: '<file>',
  description: 'Read cookies from this file, and write them to it.',
} as const satisfies OptionSpecification

export const reports = {
  long: 'report',
  argument: '<format=file>',
  repeatable: true,
  description:
    'Write a report: junit, json, tap, html or har. The file - is standard output. "github" alone annotates a workflow.',
} as const satisfies OptionSpecification

/** Options for connections to servers, shared by all sub-commands that send requests. */
export const connectionOptions = [
  { long: 'connect-timeout', argument: '<seconds>', description: 'Time to connect. Default 10; 0 means no limit.' },
  {
    long: 'timeout',
    argument: '<seconds>',
    description: 'Time to the first byte, and between bytes. Default 30; 0 means no limit.',
  },
  { long: 'cacert', argument: '<file>', description: 'Trust only the certificates in this PEM or DER file.' },
  { long: 'cert', argument: '<file>', description: 'Client certificate: PEM or DER, or a PKCS12 or JKS keystore.' },
  { long: 'key', argument: '<file>', description: 'Private key of the client certificate (PEM or DER).' },
  {
    long: 'key-password',
    argument: '<password>',
    isSecret: true,
    description: 'Password of the private key or the keystore; @<file> and env:<name> keep it off the command line.',
  },
  { long: 'servername', argument: '<name>', description: 'Host name for TLS, sent as SNI and verified.' },
  {
    long: 'proxy',
    argument: '<url>',
    description: 'Proxy URL; overrides the environment, empty for none.',
  },
  { long: 'noproxy', argument: '<list>', description: 'Hosts to reach without a proxy.' },
  {
    long: 'resolve',
    argument: '<host:port:addr>',
    repeatable: true,
    description: 'Connect to this address for that host and port.',
  },
  { long: 'unix-socket', short: 'U', argument: '<socket>', description: 'Connect to a Unix domain socket.' },
] as const satisfies readonly OptionSpecification[]

export const failOnStatus = {
  long: 'fail',
  description: 'Exit with 5 if the status is 400 or more.',
} as const satisfies OptionSpecification

export const noDecode = {
  long: 'no-decode',
  description: 'Print the body as received: do not decode gzip, deflate, br or zstd.',
} as const satisfies OptionSpecification

/** The options of every sub-command. */
export type CommonValues = ValuesOf<readonly [typeof debug, typeof helpOption]>
