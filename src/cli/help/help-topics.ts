/**
 * The help topics that are not sub-commands: exit codes, request files, environments and environment variables.
 *
 * Rules: data only, for the help, the completions and the manual page. Sample lines have at most 38 columns, so that
 * they fit on a narrow terminal.
 */
import type { Example } from '../options/specification.ts'
import type { Entry } from './help-layout.ts'

/** A section of a topic with a title: a paragraph, literal lines, or terms with their meaning. */
export type TopicSection =
  | { readonly title: string; readonly text: string }
  | { readonly title: string; readonly lines: readonly string[] }
  | { readonly title: string; readonly entries: readonly Entry[] }

export interface HelpTopic {
  readonly name: string
  readonly summary: string
  readonly examples: readonly Example[]
  readonly sections: readonly TopicSection[]
}

/** The meaning of each exit code; the numbers are those of exit-codes.ts. */
export const exitCodeEntries: readonly Entry[] = [
  ['0', 'Done. A response with status 400 or more is also 0, unless --fail.'],
  ['1', 'The command line is wrong.'],
  ['2', 'A request, a request file or another input cannot be parsed.'],
  ['3', 'A defect of httpcli.'],
  ['4', 'No connection, TLS failure, timeout, broken connection, missing file.'],
  ['5', 'A test failed, --fail found 400 or more, or fmt --check found a change.'],
  ['130', 'Interrupted.'],
]

const exitCodes: HelpTopic = {
  name: 'exit-codes',
  summary: 'What the exit codes mean.',
  examples: [
    { command: 'httpcli run api.http || echo "exit code $?"', purpose: 'report what went wrong' },
    { command: 'httpcli send ping.http --fail -p status', purpose: '5 for a status of 400 or more' },
  ],
  sections: [
    { title: 'Exit codes', entries: exitCodeEntries },
    {
      title: 'If several apply',
      text: '4 wins over 5; 130 wins over both. A run in which a request was skipped never ends with 0.',
    },
    {
      title: 'Errors',
      text: 'Errors go to standard error: what was found, where, and what to do. --debug adds its code, which stays the same from version to version, its causes and the stack trace.',
    },
  ],
}

const requestFile: HelpTopic = {
  name: 'request-file',
  summary: 'The format of request files.',
  examples: [
    { command: 'httpcli run api.http -e dev', purpose: 'run such a file' },
    { command: 'httpcli check api.http', purpose: 'find mistakes without sending anything' },
  ],
  sections: [
    {
      title: 'A file with two requests',
      lines: [
        '@origin = http://localhost:8080',
        '',
        '### Log in',
        '# @capture token = $.access_token',
        'POST {{origin}}/login',
        'Content-Type: application/json',
        '',
        '{"user": "ada", "id": "{{$uuid}}"}',
        '',
        '### Products',
        '# @assert status == 200',
        'GET {{origin}}/products',
        'Authorization: Bearer {{token}}',
        '',
        '> {%',
        "  client.test('has some', () =>",
        '    client.assert(response.body.length))',
        '%}',
      ],
    },
    {
      title: 'Lines',
      entries: [
        ['### name', 'Separates requests, and names the next one.'],
        ['# text, // text', 'A comment.'],
        ['# @tag value', 'A tag of the next request; below.'],
        ['@name = value', 'A variable of the file.'],
        ['METHOD url HTTP/1.1', 'The request line. Without a method it is GET; the version may be left out.'],
        ['  &more=query', 'An indented line continues the URL.'],
        ['Name: value', 'A header. An empty line ends the headers.'],
        ['< file', 'The body is the content of the file; <@ replaces variables in it.'],
        ['< {% script %}', 'A script that runs before the request; < file.js one from a file.'],
        ['> {% script %}', 'A script that handles the response; > file.js one from a file.'],
        ['>> file', 'Write the response body to a file; >>! overwrites it.'],
        ['<> file', 'A response file of this request; written with --save-responses.'],
        ['import file', 'Makes the requests of another file available; run #name runs one.'],
      ],
    },
    {
      title: 'Tags',
      entries: [
        ['@name id', 'Name of the request.'],
        ['@tag word', 'For --tag; several are separated by commas.'],
        ['@assert status == 200', 'Tests the response without a script.'],
        ['@capture name = $.path', 'Stores part of the response in a variable.'],
        ['@retry count', 'Retries a failed request.'],
        ['@timeout 30', 'Time limit in seconds; also 500 ms and 2 m.'],
        ['@connection-timeout 2 s', 'Time to connect.'],
        ['@no-redirect', 'Do not follow redirects.'],
        ['@no-cookie-jar', 'Neither send nor store cookies.'],
        ['@no-auto-encoding', 'Send the URL, and a form, as written.'],
        ['@no-log', 'Write nothing of the response to files.'],
      ],
    },
    {
      title: 'Assertions',
      entries: [
        ['status == 200', 'Also != < <= > >=, and: status in [200, 201].'],
        ['header content-type contains json', 'Also startsWith, endsWith, matches /…/, exists, not exists.'],
        ['body $.items[0].id > 5', 'A JSONPath; xpath //item for XML and HTML, body alone for the text.'],
        ['duration < 500ms', 'Also size, cookie, url and more: docs/assertions.md.'],
      ],
    },
    {
      title: 'Variables',
      entries: [
        ['{{name}}', 'From -V, the environment, client.global, the file, or a script.'],
        ['{{$uuid}}', 'A new UUID.'],
        ['{{$timestamp}}', 'Seconds since 1970.'],
        ['{{$randomInt}}', 'A number from 0 to 1000.'],
        ['{{$random.email}}', 'And many more; docs/request-file.md lists them.'],
        ['{{$env.NAME}}', 'An environment variable.'],
      ],
    },
    {
      title: 'More',
      text: 'docs/request-file.md has an example for every feature, docs/scripts.md what scripts can do.',
    },
  ],
}

const environment: HelpTopic = {
  name: 'environment',
  summary: 'Environments of request files, and environment variables.',
  examples: [
    { command: 'httpcli run api.http -e staging', purpose: 'variables of the environment staging' },
    { command: 'httpcli run api.http -e dev -V user=ada', purpose: 'one of them replaced' },
    { command: 'HTTPS_PROXY=http://proxy:3128 httpcli send a.http', purpose: 'through a proxy' },
  ],
  sections: [
    {
      title: 'http-client.env.json',
      lines: [
        '{',
        '  "$shared": { "version": 2 },',
        '  "dev": { "host": "http://local" },',
        '  "staging": { "host": "http://s.io" }',
        '}',
      ],
    },
    {
      title: 'Files',
      entries: [
        [
          'http-client.env.json',
          'Each member is an environment; $shared applies to all. Searched for next to the request file and in the directories above it.',
        ],
        [
          'http-client.private.env.json',
          'The same for secrets; it wins over the other. Keep it out of version control.',
        ],
        ['--env-file, --private-env-file', 'Name these files directly.'],
        ['--dotenv', 'A file of NAME=value lines for {{$env.NAME}}.'],
      ],
    },
    {
      title: 'Which value wins',
      text: '-V, then the environment, client.global, the variables of the file, those of scripts, and the dynamic ones.',
    },
    {
      title: 'Environment variables',
      entries: [
        ['http_proxy, HTTPS_PROXY, ALL_PROXY', 'The proxy, unless --proxy names one.'],
        ['NO_PROXY', 'Hosts to reach without it.'],
        ['NO_COLOR', 'If not empty: no colours. --color overrides it.'],
        ['FORCE_COLOR', 'If not empty: colours, even into a pipe; 0 means no colours.'],
        ['TERM=dumb', 'No colours.'],
        ['BROWSER', 'The program that serve --open starts.'],
      ],
    },
  ],
}

/** In the order of the list. */
export const helpTopics: readonly HelpTopic[] = [exitCodes, requestFile, environment]
