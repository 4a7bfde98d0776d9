/** The options of `httpcli run`. */
import { choosingOptions, requestFiles } from './choosing.ts'
import {
  type CommandSpecification,
  color,
  connectionOptions,
  cookieJar,
  debug,
  failOnStatus,
  helpOption,
  ignoreTlsCertificate,
  logRequest,
  noDecode,
  printResponseMode,
  reports,
  type ValuesOf,
} from './specification.ts'
import { dataRows, fileRoot, variableOptions } from './variables.ts'

export const run = {
  name: 'run',
  summary: 'Run the requests of request files in order.',
  description:
    'Variables come from an environment file next to the request file; scripts and lines such as "# @assert status == 200" above a request test the responses: httpcli help request-file.',
  examples: [
    { command: 'httpcli run api.http', purpose: 'all requests of the file' },
    { command: 'httpcli run api.http -e staging', purpose: 'with the variables of one environment' },
    { command: 'httpcli run api.http --name "Sign in"', purpose: 'one request' },
    { command: 'httpcli run tests --tag smoke -p status', purpose: 'some requests of all files below a directory' },
    { command: 'httpcli run api.http --data users.csv', purpose: 'once for each row of a table' },
    { command: 'httpcli run tests --report junit=report.xml', purpose: 'with a report for your CI' },
  ],
  // Optional, because --last-failed also provides files.
  positionals: [{ ...requestFiles, required: false }],
  options: [
    ...choosingOptions,
    { long: 'list', description: 'List the requests that would be sent, without sending them.' },
    {
      long: 'list-services',
      description: 'Print the gRPC services of servers as requests: give host:port in place of files.',
    },
    ...variableOptions,
    fileRoot,
    cookieJar,
    ignoreTlsCertificate,
    printResponseMode,
    logRequest,
    noDecode,
    {
      long: 'json',
      description: 'Print events as JSON Lines, with bodies if -p response, all or body is given.',
    },
    reports,
    {
      long: 'report-body-limit',
      argument: '<size>',
      description: 'Bytes of each body in reports. Default 8k if a request failed, otherwise 1k; 0: none.',
    },
    { long: 'show-secrets', description: 'Do not mask secrets, in output or in reports.' },
    { long: 'save-responses', description: 'Write each response to the file that its first <> names.' },
    dataRows,
    { long: 'repeat', argument: '<count>', description: 'Number of times to run each file.' },
    {
      long: 'parallel',
      argument: '<count>',
      description: 'Number of files, repetitions or rows to run in parallel; the output stays in order.',
    },
    {
      long: 'retry',
      argument: '<count>',
      description: 'Number of retries of a failed request; "# @retry" in the file overrides it.',
    },
    { long: 'retry-interval', argument: '<time>', description: 'Time between retries: 2s, 500ms. Default 1s.' },
    { long: 'delay', argument: '<time>', description: 'Wait before each request except the first: 2s, 500ms.' },
    {
      long: 'dry-run',
      description: 'Print the requests as they would be sent, without sending them; scripts before them run.',
    },
    {
      long: 'seed',
      argument: '<number>',
      description: 'Derive all random values from this number, so that every run has the same ones.',
    },
    {
      long: 'now',
      argument: '<time>',
      description: 'The time that scripts and variables see: 2026-11-21T10:00:00Z, or seconds since 1970.',
    },
    { long: 'trace', description: 'Send "traceparent": one trace for the run, a span for each request.' },
    {
      long: 'shard',
      argument: '<number/count>',
      description: 'Run one part of the files: 2/8 is the second of eight. Each machine runs another part.',
    },
    {
      long: 'shard-by',
      argument: '<unit>',
      choices: ['file', 'request'],
      description: 'Divide between files, or between requests where a file allows it. Default file.',
    },
    {
      long: 'shard-times',
      argument: '<file>',
      description: 'Divide by the times of this earlier JSON report, so that all parts take about the same time.',
    },
    {
      long: 'last-failed',
      argument: '<file>',
      description: 'Run only files in which something failed, by this earlier JSON report.',
    },
    { long: 'bail', description: 'Stop at the first failed request, test or script.' },
    failOnStatus,
    { long: 'allow-exec', description: 'Let scripts start other programs: exec, execFile, spawn.' },
    ...connectionOptions,
    { long: 'quiet', description: 'Omit headings, logs, tests and the summary.' },
    { long: 'verbose', description: 'Report details: files used, redirects, saved responses.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [
    ['quiet', 'verbose'],
    ['dry-run', 'list'],
    ['dry-run', 'report'],
    ['list', 'report'],
    ['list', 'list-services'],
    ['dry-run', 'list-services'],
    ['list-services', 'report'],
    ['list-services', 'shard'],
    ['list-services', 'last-failed'],
  ],
} as const satisfies CommandSpecification

export type RunValues = ValuesOf<typeof run.options>
