/** Options of ijhttp, httpYac, Hurl, Newman and Bruno that `run` does not have, and their replacements. */

const report = 'write --report junit=<file>; json, tap, html and har are the other formats'
const environment = 'write -e <name>'
const variable = 'write -V name=value'
const privateVariable = 'write -P name=value, which is masked in all output'
const insecure = 'write -i'
const redirects = 'omit it: redirects are followed; "# @no-redirect" prevents it'
const cookies = 'write -c <file>, which is read and written'
const request = 'write -l for the request, and -p response for the answer'
const quiet = 'write --quiet'
const colors = 'write --color always or never'
const iterations = 'write --repeat <count> for repetitions, or --name <name> for one request'
const entries = 'write --name <name>, --line <line> or --tag <tag>'
const tests = 'omit it: assertions and tests decide the exit code'
const failures = 'omit it: the other requests run after a failure; --bail stops at the first one'
const inFile = 'write it in the request file'

/** Those about environments and variables, which `check` has as well. */
export const foreignVariableOptions: Readonly<Record<string, string>> = {
  '--env': environment,
  '--env-name': environment,
  '--env-variables': variable,
  '--private-env-variables': privateVariable,
  '--env-var': variable,
  '--global-var': variable,
  '--var': variable,
  '--variables-file': 'write -e <name> with http-client.env.json, or -V name=value',
  '--secret': privateVariable,
  '-g': 'write -e <name> with http-client.env.json, or -V name=value',
  '--globals': 'write -e <name> with http-client.env.json, or -V name=value',
}

export const foreignRunOptions: Readonly<Record<string, string>> = {
  ...foreignVariableOptions,
  '-v': `${request}; for the environment file of ijhttp, --env-file <file>`,

  '-r': report,
  '--reporters': report,
  '--junit': 'write --report junit=<file>',
  '--report-junit': 'write --report junit=<file>',
  '--report-tap': 'write --report tap=<file>',
  '--report-html': 'write --report html=<file>',
  '--report-json': 'write --report json=<file>',
  '--reporter-junit': 'write --report junit=<file>',
  '--reporter-json': 'write --report json=<file>',
  '--reporter-html': 'write --report html=<file>',
  '-o': 'write -p response, body or status; --report <format=file> for a file',
  '--output': 'write -p response, body or status; --report <format=file> for a file',
  '--format': report,

  '-n': iterations,
  '--iteration-count': 'write --repeat <count>',
  '-d': 'write --data <file> for rows of data; the body of a request is in the request file',
  '--iteration-data': 'write --data <file>',
  '--csv-file-path': 'write --data <file>',
  '--json-file-path': 'write --data <file>',
  '--repeat-mode': 'write --parallel <count>',
  '--jobs': 'write --parallel <count>',
  '--folder': entries,
  '--from-entry': entries,
  '--to-entry': entries,
  '-a': 'omit it: all requests run',
  '--all': 'omit it: all requests run',
  '-t': 'write --tag <tag>; for the timeout of ijhttp, --timeout <seconds>',
  '-f': 'write --last-failed <report.json>; files are named without an option',
  '--filter': 'write --last-failed <report.json>, --name, --line or --tag',
  '--glob': 'omit it: write the pattern in quotes, as a file',
  '--interactive': 'write --list for the requests, and --name <name> for one of them',

  '-k': insecure,
  '--insecure': insecure,
  '-L': `${redirects}; for the log level of ijhttp, -p status, body or response`,
  '--location': redirects,
  '--follow': redirects,
  '-b': cookies,
  '--cookie': cookies,
  '--cookie-jar': cookies,
  '--socket-timeout': 'write --timeout <seconds>',
  '--max-time': 'write --timeout <seconds>',
  '-m': 'write --timeout <seconds>',
  '--timeout-request': 'write --timeout <seconds>',
  '--delay-request': 'write --delay <time>',
  '-u': 'write "Authorization: Basic <user> <password>" in the request file',
  '--user': 'write "Authorization: Basic <user> <password>" in the request file',
  '-H': inFile,
  '--header': inFile,
  '-A': inFile,
  '--user-agent': inFile,
  '-x': 'write --proxy <url>',

  '-D': 'omit it: it is not needed',
  '--docker-mode': 'omit it: it is not needed',
  '--no-progress': 'omit it: a pipe gets no progress bar',
  '--progress-bar': 'omit it: a terminal gets it',
  '--test': tests,
  '--tests-only': tests,
  '--continue-on-error': failures,
  '--error-format': 'write -p response, which prints the answer of every request',
  '--very-verbose': request,
  '--log-level': 'write -p status, body or response; -l for the request',
  '-s': quiet,
  '--silent': quiet,
  '--no-output': quiet,
  '--no-color': colors,
  '--disable-unicode': 'omit it: the output has no symbols',
}
