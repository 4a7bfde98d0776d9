/** The options of `httpcli convert`. */
import { type CommandSpecification, color, debug, helpOption, type ValuesOf } from './specification.ts'

export const convert = {
  name: 'convert',
  summary: 'Import requests from other tools, or export to curl or k6.',
  description:
    'Reads curl commands, Postman collections and environments, Bruno collections, Insomnia exports, OpenAPI and Swagger documents, HAR and Hurl files. Features without an equivalent are reported on standard error and kept as comments.',
  examples: [
    { command: 'httpcli convert collection.json -o api/', purpose: 'a Postman collection, with its variables' },
    { command: 'httpcli convert bruno/ -o api/', purpose: 'a Bruno collection, with its environments' },
    { command: "httpcli convert -t 'curl -d a=b http://localhost/'", purpose: 'a curl command' },
    { command: 'httpcli convert openapi.yaml -o api.http', purpose: 'a request for each operation' },
    { command: 'httpcli convert api.http -e dev', purpose: 'to curl commands' },
    { command: 'httpcli convert api.http --to k6 -o load.js', purpose: 'to a load test for k6' },
  ],
  positionals: [
    {
      name: '<file>',
      required: false,
      description: 'What to convert, for Bruno a directory; - or nothing is standard input.',
      endings: ['.json', '.bru', '.yaml', '.yml', '.har', '.hurl', '.http', '.rest', '.sh', '.txt'],
    },
  ],
  options: [
    { long: 'text', short: 't', argument: '<text>', description: 'Convert this text, such as a curl command.' },
    {
      long: 'from',
      argument: '<format>',
      choices: ['curl', 'postman', 'bruno', 'insomnia', 'openapi', 'har', 'hurl', 'http'],
      description: 'Format of the input. Default: detected from its content.',
    },
    {
      long: 'to',
      argument: '<format>',
      choices: ['http', 'curl', 'k6', 'k6-operator'],
      description: 'Format of the output. Default http; curl for a request file.',
    },
    {
      long: 'output',
      short: 'o',
      argument: '<path>',
      description:
        'File or directory for the result, or - for standard output; environment files are written beside it.',
    },
    { long: 'force', description: 'Overwrite files that exist.' },
    { long: 'strict', description: 'Fail, and write nothing, if a part has no equivalent.' },
    {
      long: 'environment',
      short: 'e',
      argument: '<name>',
      names: 'environments',
      description: 'Environment whose values are put into curl commands, or into a script for k6.',
    },
    {
      long: 'variable',
      short: 'V',
      argument: '<name=value>',
      repeatable: true,
      description: 'Value of a variable in curl commands, or in a script for k6.',
    },
    { long: 'vus', argument: '<n>', description: 'k6: number of virtual users. Default 1.' },
    { long: 'duration', argument: '<time>', description: 'k6: how long the test runs, such as 30s.' },
    {
      long: 'iterations',
      argument: '<n>',
      description: 'k6: number of runs of the file, by all virtual users together.',
    },
    { long: 'stages', argument: '<list>', description: 'k6: times and virtual users, such as 30s:10,1m:50,10s:0.' },
    { long: 'rate', argument: '<n/unit>', description: 'k6: runs of the file to start per second, such as 100/s.' },
    { long: 'max-vus', argument: '<n>', description: 'k6: maximum number of virtual users for --rate. Default 100.' },
    {
      long: 'threshold',
      argument: '<condition>',
      repeatable: true,
      description: 'k6: condition of the test, such as "http_req_duration p(95)<500".',
    },
    { long: 'data', argument: '<file>', description: 'k6: CSV or JSON file with a row for each iteration, in turn.' },
    { long: 'fail', description: 'k6: a status of 400 or more fails the test.' },
    color,
    debug,
    helpOption,
  ],
  exclusive: [
    ['<file>', 'text'],
    ['stages', 'rate', 'iterations'],
    ['stages', 'duration'],
  ],
} as const satisfies CommandSpecification

export type ConvertValues = ValuesOf<typeof convert.options>
