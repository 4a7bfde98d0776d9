/**
 * Every sub-command with its arguments and options, as data: read by the parser, the help and their tests.
 *
 * Rules: an option is here when, and only when, its command does what it says. An option with an `argument` takes a
 * value, one without is a flag. The order is the order of the help.
 */
export interface OptionSpecification {
  /** Name after the two dashes. */
  readonly long: string
  /** Letter after one dash. */
  readonly short?: string
  /** What the help writes for the value, such as `<file>`; absent for a flag. */
  readonly argument?: string
  /** The only values that are taken. */
  readonly choices?: readonly string[]
  /** May be given several times; every value counts. */
  readonly repeatable?: true
  readonly description: string
}

export interface PositionalSpecification {
  /** What the help and the errors call it, such as `<dir>`. */
  readonly name: string
  readonly required: boolean
  readonly description: string
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

const color: OptionSpecification = {
  long: 'color',
  argument: '<when>',
  choices: ['auto', 'always', 'never'],
  description: 'When to colour what is written. Default auto: on a terminal.',
}

const debug: OptionSpecification = {
  long: 'debug',
  description: 'Show error codes, causes and stack traces.',
}

/** Asked for in every sub-command, and answered by the frame before the sub-command is loaded. */
const helpOption: OptionSpecification = { long: 'help', short: 'h', description: 'Show this help.' }

const ignoreTlsCertificate: OptionSpecification = {
  long: 'ignore-tls-cert',
  short: 'i',
  description: 'Do not validate the TLS certificate of the server.',
}

const printResponseMode: OptionSpecification = {
  long: 'print-response-mode',
  short: 'p',
  argument: '<mode>',
  choices: ['response', 'all', 'body', 'status', 'stats'],
  description: 'What to print; all is the response and the statistics. Default response.',
}

const logRequest: OptionSpecification = {
  long: 'log-request',
  short: 'l',
  description: 'Print the request as it is sent, before the response.',
}

const send: CommandSpecification = {
  name: 'send',
  summary: 'Send one HTTP request and print the response.',
  description: 'The request comes from a file, from -t, or from standard input. It is sent as it is written.',
  examples: [
    { command: "httpcli send -t 'GET http://localhost:8080/'", purpose: 'a request written in place' },
    { command: 'httpcli send login.http -b \'{"user":"joe"}\'', purpose: 'a file, with another body' },
    { command: 'httpcli send -p stats < request.http', purpose: 'from standard input' },
  ],
  positionals: [{ name: '<request-file>', required: false, description: 'The same as -f <file>.' }],
  options: [
    { long: 'file', short: 'f', argument: '<file>', description: 'Read the request from a file; - is standard input.' },
    { long: 'text', short: 't', argument: '<request-text>', description: 'The request itself.' },
    ignoreTlsCertificate,
    printResponseMode,
    logRequest,
    { long: 'body-text', short: 'b', argument: '<text>', description: 'Replace the body with the text.' },
    {
      long: 'body-file',
      short: 'g',
      argument: '<file>',
      description: 'Replace the body with the content of the file.',
    },
    { long: 'raw', description: 'Send the bytes as they are given, even if they are not HTTP.' },
    { long: 'offline', description: 'Print what would be sent, and connect nowhere.' },
    { long: 'follow', description: 'Follow redirects, at most 10.' },
    { long: 'fail', description: 'Exit with 5 when the status is 400 or more.' },
    { long: 'json', description: 'Print request, response and statistics as one JSON object.' },
    { long: 'no-decode', description: 'Print the body as it was sent: do not undo gzip, deflate, br or zstd.' },
    {
      long: 'output',
      short: 'o',
      argument: '<file>',
      description: 'Write the body to a file, complete or not at all; - is standard output.',
    },
    { long: 'keep-partial', description: 'With -o: keep what arrived when the download fails.' },
    { long: 'connect-timeout', argument: '<seconds>', description: 'Time to connect. Default 10; 0 is no limit.' },
    {
      long: 'timeout',
      argument: '<seconds>',
      description: 'Time to the first byte, and between bytes. Default 30; 0 is no limit.',
    },
    { long: 'cacert', argument: '<file>', description: 'Trust the certificates of this PEM file and no others.' },
    { long: 'cert', argument: '<file>', description: 'Client certificate (PEM).' },
    { long: 'key', argument: '<file>', description: 'Private key of the client certificate (PEM).' },
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
    { long: 'unix-socket', argument: '<path>', description: 'Connect to a Unix domain socket.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [
    ['file', 'text', '<request-file>'],
    ['body-text', 'body-file', 'raw'],
    ['raw', 'follow'],
    ['raw', 'json'],
    ['json', 'print-response-mode'],
  ],
}

const run: CommandSpecification = {
  name: 'run',
  summary: 'Run the requests of a request file in order.',
  description: 'Variables come from an environment file beside the request file; handler scripts test the responses.',
  examples: [
    { command: 'httpcli run api.http', purpose: 'all requests of the file' },
    { command: 'httpcli run api.http -e staging', purpose: 'with the variables of one environment' },
    { command: 'httpcli run api.http -p status', purpose: 'status lines and test results only' },
  ],
  positionals: [{ name: '<http-file>', required: true, description: 'The request file.' }],
  options: [
    {
      long: 'environment',
      short: 'e',
      argument: '<name>',
      description: 'Environment of http-client.env.json to take variables from.',
    },
    ignoreTlsCertificate,
    printResponseMode,
    logRequest,
    color,
    debug,
    helpOption,
  ],
  exclusive: [],
}

const serve: CommandSpecification = {
  name: 'serve',
  summary: 'Serve the files of a directory over HTTP.',
  description: 'Only this machine can connect unless --host says otherwise. Ctrl-C ends the server.',
  examples: [
    { command: 'httpcli serve site', purpose: 'on http://127.0.0.1:8080/' },
    { command: 'httpcli serve site -p 0 -l', purpose: 'on any free port, with a log' },
    { command: 'httpcli serve docs -r /manual', purpose: 'on http://127.0.0.1:8080/manual/' },
  ],
  positionals: [{ name: '<dir>', required: true, description: 'The directory to serve.' }],
  options: [
    { long: 'port', short: 'p', argument: '<port-number>', description: 'Port. Default 8080; 0 is any free port.' },
    { long: 'host', argument: '<address>', description: 'Address to listen on. Default 127.0.0.1.' },
    { long: 'log-requests', short: 'l', description: 'Log every answered request on standard output.' },
    {
      long: 'media-types',
      short: 'm',
      argument: '<file>',
      description: 'Media types by file extension, one "extension: type" a line; they add to the built-in ones.',
    },
    { long: 'root-path', short: 'r', argument: '<path>', description: 'Path in URLs that stands for the directory.' },
    debug,
    helpOption,
  ],
  exclusive: [],
}

const help: CommandSpecification = {
  name: 'help',
  summary: 'Show how to use httpcli or one of its sub-commands.',
  description: 'Without a sub-command: the list of sub-commands and exit codes.',
  examples: [{ command: 'httpcli help send', purpose: 'all options of send' }],
  positionals: [{ name: '<sub-command>', required: false, description: 'send, run, serve or help.' }],
  options: [helpOption],
  exclusive: [],
}

export const commands: readonly CommandSpecification[] = [send, run, serve, help]

/** What stands in the place of a sub-command. */
export const globalOptions: readonly OptionSpecification[] = [
  { ...helpOption, description: 'Show this help; after a sub-command, its help.' },
  { long: 'version', short: 'v', description: 'Show version, runtime and distribution.' },
]
