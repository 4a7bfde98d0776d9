/** Options of ijhttp, httpYac, Hurl, Newman and Bruno that `run` does not have, and their replacements. */
import { byWord } from './by-word.ts'

const redirects = 'omit it: redirects are followed; "# @no-redirect" prevents it'
const request = 'write -l for the request, and -p response for the answer'

/** Those about environments and variables, which `check` has as well. */
export const variableRows: Readonly<Record<string, string>> = {
  '--env --env-name': 'write -e <name>',
  '--env-variables --env-var --global-var --var': 'write -V name=value',
  '--private-env-variables --secret': 'write -P name=value, which is masked in all output',
  '--variables-file -g --globals': 'write -e <name> with http-client.env.json, or -V name=value',
}

export const foreignRunOptions: Readonly<Record<string, string>> = byWord({
  ...variableRows,
  '-v': `${request}; for the environment file of ijhttp, --env-file <file>`,

  '-r --reporters --format': 'write --report junit=<file>; json, tap, html and har are the other formats',
  '--junit --report-junit --reporter-junit': 'write --report junit=<file>',
  '--report-tap': 'write --report tap=<file>',
  '--report-html --reporter-html': 'write --report html=<file>',
  '--report-json --reporter-json': 'write --report json=<file>',
  '-o --output': 'write -p response, body or status; --report <format=file> for a file',

  '-n': 'write --repeat <count> for repetitions, or --name <name> for one request',
  '--iteration-count': 'write --repeat <count>',
  '-d': 'write --data <file> for rows of data; the body of a request is in the request file',
  '--iteration-data --csv-file-path --json-file-path': 'write --data <file>',
  '--repeat-mode --jobs': 'write --parallel <count>',
  '--folder --from-entry --to-entry': 'write --name <name>, --line <line> or --tag <tag>',
  '-a --all': 'omit it: all requests run',
  '-t': 'write --tag <tag>; for the timeout of ijhttp, --timeout <seconds>',
  '-f': 'write --last-failed <report.json>; files are named without an option',
  '--filter': 'write --last-failed <report.json>, --name, --line or --tag',
  '--glob': 'omit it: write the pattern in quotes, as a file',
  '--interactive': 'write --list for the requests, and --name <name> for one of them',

  '-k --insecure': 'write -i',
  '-L': `${redirects}; for the log level of ijhttp, -p status, body or response`,
  '--location --follow': redirects,
  '-b --cookie --cookie-jar': 'write -c <file>, which is read and written',
  '--socket-timeout --max-time -m --timeout-request': 'write --timeout <seconds>',
  '--delay-request': 'write --delay <time>',
  '-u --user': 'write "Authorization: Basic <user> <password>" in the request file',
  '-H --header -A --user-agent': 'write it in the request file',
  '-x': 'write --proxy <url>',

  '-D --docker-mode': 'omit it: it is not needed',
  '--no-progress': 'omit it: a pipe gets no progress bar',
  '--progress-bar': 'omit it: a terminal gets it',
  '--test --tests-only': 'omit it: assertions and tests decide the exit code',
  '--continue-on-error': 'omit it: the other requests run after a failure; --bail stops at the first one',
  '--error-format': 'write -p response, which prints the answer of every request',
  '--very-verbose': request,
  '--log-level': 'write -p status, body or response; -l for the request',
  '-s --silent --no-output': 'write --quiet',
  '--no-color': 'write --color always or never',
  '--disable-unicode': 'omit it: the output has no symbols',
})
