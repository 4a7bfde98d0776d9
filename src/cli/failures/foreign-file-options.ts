/**
 * Options of formatters, linters, converters and language servers that `check`, `fmt`, `convert`, `report`, `lsp` and
 * `completion` do not have, and sub-commands that httpcli does not have; each with its replacement.
 */
import { foreignVariableOptions } from './foreign-run-options.ts'

const omitRun = 'omit it: nothing is sent; httpcli run has it'
const inPlace = 'omit it: files are formatted in place'
const onlyList = 'write --check, which lists the files that would change'
const ownFile = 'write the file without an option before it'
const standardInput = 'write - instead of a file, for standard input'
const outputPath = 'write -o <file>, or a directory'
const report = 'write --report <format=file>: junit, json, tap, html or har'
const onlyStandardInput = 'omit it: the server speaks over standard input and output'
const ownShell = 'write the shell without an option before it'
const repaired = 'omit it: mistakes are only reported; httpcli fmt formats'

export const foreignCheckOptions: Readonly<Record<string, string>> = {
  ...foreignVariableOptions,
  '--strict': 'write --fail-on warning',
  '--warnings': 'write --fail-on warning',
  '--max-warnings': 'write --fail-on warning',
  '-W': 'write --fail-on warning',
  '--fix': repaired,
  '--format': 'write --json for JSON Lines',
  '-f': 'write --json for JSON Lines; files are named without an option',
  '--report': omitRun,
  '-p': omitRun,
  '-l': omitRun,
  '-i': omitRun,
  '--insecure': omitRun,
  '--timeout': omitRun,
  '--parallel': omitRun,
  '--repeat': omitRun,
  '--retry': omitRun,
  '--proxy': omitRun,
  '--bail': omitRun,
  '--list': omitRun,
  '--dry-run': omitRun,
  '--quiet': 'omit it: mistakes are on standard error; > /dev/null hides the summary',
  '-q': 'omit it: mistakes are on standard error; > /dev/null hides the summary',
}

export const foreignFmtOptions: Readonly<Record<string, string>> = {
  '-w': inPlace,
  '--write': inPlace,
  '-i': inPlace,
  '--in-place': inPlace,
  '--inplace': inPlace,
  '--fix': inPlace,
  '-o': `${inPlace}, and standard input to standard output`,
  '--output': `${inPlace}, and standard input to standard output`,
  '-l': onlyList,
  '--list': onlyList,
  '--list-different': onlyList,
  '--dry-run': `${onlyList}, or --diff`,
  '-c': onlyList,
  '-d': 'write --diff',
  '--stdin': standardInput,
  '--stdin-filepath': standardInput,
  '--stdin-filename': standardInput,
  '-r': 'omit it: all files below a directory are formatted',
  '--recursive': 'omit it: all files below a directory are formatted',
  '--config': 'omit it: the format has no settings',
  '--indent': 'omit it: the format has no settings',
  '--tab-width': 'omit it: the format has no settings',
}

export const foreignConvertOptions: Readonly<Record<string, string>> = {
  '-i': ownFile,
  '--input': ownFile,
  '--file': ownFile,
  '--collection': ownFile,
  '--stdin': standardInput,
  '-f': 'write --from <format>; files are named without an option',
  '--format': 'write --from <format> for the input, --to <format> for the output',
  '--in': 'write --from <format>',
  '--curl': 'write --from curl for the input, --to curl for the output',
  '--postman': 'write --from postman',
  '--openapi': 'write --from openapi',
  '--target': 'write --to <format>',
  '--out': `${outputPath}; for a format, --to <format>`,
  '--out-dir': outputPath,
  '--output-dir': outputPath,
  '-d': outputPath,
  '--overwrite': 'write --force',
  '-y': 'write --force',
  '--env': 'write -e <name>',
  '--env-name': 'write -e <name>',
  '--var': 'write -V name=value',
  '--env-var': 'write -V name=value',
}

/** Formats of --from that --to does not have. */
export const unwrittenFormats: ReadonlySet<string> = new Set(['postman', 'bruno', 'insomnia', 'openapi', 'har', 'hurl'])

export const foreignReportOptions: Readonly<Record<string, string>> = {
  '-o': report,
  '--output': report,
  '--format': report,
  '--reporter': report,
  '--junit': 'write --report junit=<file>',
  '--html': 'write --report html=<file>',
  '--json': 'write --report json=<file>',
  '--merge': 'write merge before the files, without an option',
}

export const foreignLspOptions: Readonly<Record<string, string>> = {
  '--socket': onlyStandardInput,
  '--port': onlyStandardInput,
  '--tcp': onlyStandardInput,
  '--pipe': onlyStandardInput,
  '--node-ipc': onlyStandardInput,
}

export const foreignCompletionOptions: Readonly<Record<string, string>> = {
  '--shell': ownShell,
  '-s': ownShell,
  '--bash': ownShell,
  '--zsh': ownShell,
  '--fish': ownShell,
}

const request = 'write the URL without a word before it, or the method in capitals'
const requestFile = 'write httpcli run <file>'
const mistakes = 'write httpcli check <file>'
const otherFormat = 'write httpcli convert <file>'
const directory = 'write httpcli serve <directory>'
const load = 'write httpcli convert <file> --to k6 for a load test'

export const foreignSubCommands: Readonly<Record<string, string>> = {
  version: 'write httpcli --version',
  request,
  req: request,
  curl: `${request}; httpcli convert -t 'curl …' converts a command`,
  http: request,
  https: request,
  test: requestFile,
  exec: requestFile,
  execute: requestFile,
  list: 'write httpcli run <file> --list',
  lint: mistakes,
  validate: mistakes,
  verify: mistakes,
  format: 'write httpcli fmt <file>',
  import: otherFormat,
  export: otherFormat,
  server: directory,
  'http-server': directory,
  'file-server': directory,
  proxy: 'write httpcli serve <directory> --backend /=<url>',
  load,
  bench: load,
  k6: load,
  merge: 'write httpcli report merge <report-file>…',
  man: 'write httpcli help',
  'language-server': 'write httpcli lsp',
}
