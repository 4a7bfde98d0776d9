/**
 * Options of formatters, linters, converters and language servers that `check`, `fmt`, `convert`, `report`, `lsp` and
 * `completion` do not have, and sub-commands that httpcli does not have; each with its replacement.
 */

import { byWord } from './by-word.ts'
import { variableRows } from './foreign-run-options.ts'

const inPlace = 'omit it: files are formatted in place'
const onlyList = 'write --check, which lists the files that would change'
const standardInput = 'write - instead of a file, for standard input'
const outputPath = 'write -o <file>, or a directory'

export const foreignCheckOptions: Readonly<Record<string, string>> = byWord({
  ...variableRows,
  '--strict --warnings --max-warnings -W': 'write --fail-on warning',
  '--fix': 'omit it: mistakes are only reported; httpcli fmt formats',
  '--format': 'write --json for JSON Lines',
  '-f': 'write --json for JSON Lines; files are named without an option',
  '--report -p -l -i --insecure --timeout --parallel --repeat --retry --proxy --bail --list --dry-run':
    'omit it: nothing is sent; httpcli run has it',
  '--quiet -q': 'omit it: mistakes are on standard error; > /dev/null hides the summary',
})

export const foreignFmtOptions: Readonly<Record<string, string>> = byWord({
  '-w --write -i --in-place --inplace --fix': inPlace,
  '-o --output': `${inPlace}, and standard input to standard output`,
  '-l --list --list-different -c': onlyList,
  '--dry-run': `${onlyList}, or --diff`,
  '-d': 'write --diff',
  '--stdin --stdin-filepath --stdin-filename': standardInput,
  '-r --recursive': 'omit it: all files below a directory are formatted',
  '--config --indent --tab-width': 'omit it: the format has no settings',
})

export const foreignConvertOptions: Readonly<Record<string, string>> = byWord({
  '-i --input --file --collection': 'write the file without an option before it',
  '--stdin': standardInput,
  '-f': 'write --from <format>; files are named without an option',
  '--format': 'write --from <format> for the input, --to <format> for the output',
  '--in': 'write --from <format>',
  '--curl': 'write --from curl for the input, --to curl for the output',
  '--postman': 'write --from postman',
  '--openapi': 'write --from openapi',
  '--target': 'write --to <format>',
  '--out': `${outputPath}; for a format, --to <format>`,
  '--out-dir --output-dir -d': outputPath,
  '--overwrite -y': 'write --force',
  '--env --env-name': 'write -e <name>',
  '--var --env-var': 'write -V name=value',
})

/** Formats of --from that --to does not have. */
export const unwrittenFormats: ReadonlySet<string> = new Set(['postman', 'bruno', 'insomnia', 'openapi', 'har', 'hurl'])

export const foreignReportOptions: Readonly<Record<string, string>> = byWord({
  '-o --output --format --reporter': 'write --report <format=file>: junit, json, tap, html or har',
  '--junit': 'write --report junit=<file>',
  '--html': 'write --report html=<file>',
  '--json': 'write --report json=<file>',
  '--merge': 'write merge before the files, without an option',
})

export const foreignLspOptions: Readonly<Record<string, string>> = byWord({
  '--socket --port --tcp --pipe --node-ipc': 'omit it: the server speaks over standard input and output',
})

export const foreignCompletionOptions: Readonly<Record<string, string>> = byWord({
  '--shell -s --bash --zsh --fish': 'write the shell without an option before it',
})

const request = 'write the URL without a word before it, or the method in capitals'

export const foreignSubCommands: Readonly<Record<string, string>> = byWord({
  version: 'write httpcli --version',
  'request req http https': request,
  curl: `${request}; httpcli convert -t 'curl …' converts a command`,
  'test exec execute': 'write httpcli run <file>',
  list: 'write httpcli run <file> --list',
  'lint validate verify': 'write httpcli check <file>',
  format: 'write httpcli fmt <file>',
  'import export': 'write httpcli convert <file>',
  'server http-server file-server': 'write httpcli serve <directory>',
  proxy: 'write httpcli serve <directory> --backend /=<url>',
  'load bench k6': 'write httpcli convert <file> --to k6 for a load test',
  merge: 'write httpcli report merge <report-file>…',
  man: 'write httpcli help',
  'language-server': 'write httpcli lsp',
})
