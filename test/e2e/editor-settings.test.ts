/**
 * The settings of docs/editors.md, applied to what the built command prints: the tasks and problem matchers of VS Code,
 * the regular expressions of Emacs, and the schemas that editors load.
 *
 * Rules: an expression is applied to each line, as the editors do. What the page shows on a console: documents.test.ts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { pageAt, projectRoot } from '../helpers/document.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'
import { answering, closedPort, startPeer } from '../wire/peer.ts'

interface Pattern {
  readonly regexp: string
  readonly severity: number
  readonly file: number
  readonly line: number
  readonly column: number
  readonly message: number
}

interface Task {
  readonly command: string
  readonly args: readonly string[]
  readonly problemMatcher: { readonly severity?: string; readonly pattern: Pattern }
}

interface Problem {
  readonly severity: string | undefined
  readonly file: string | undefined
  readonly line: string | undefined
  readonly column: string | undefined
  readonly message: string | undefined
}

function fileOf(name: string): string {
  const block = pageAt('docs/editors.md').blocks.find(({ file }) => file === name)
  if (block === undefined) throw new Error(`docs/editors.md shows no ${name}`)
  return block.text
}

const { tasks } = JSON.parse(fileOf('.vscode/tasks.json')) as { readonly tasks: readonly [run: Task, check: Task] }
const [runTask, checkTask] = tasks
const settings = JSON.parse(fileOf('.vscode/settings.json')) as {
  readonly 'emeraldwalk.runonsave': { readonly commands: readonly { readonly match: string; readonly cmd: string }[] }
  readonly 'json.schemas': readonly { readonly fileMatch: readonly string[]; readonly url: string }[]
}

/** A directory with request files that fail in each way, and a server for them. */
async function failingRequests(): Promise<string> {
  const { origin } = await startPeer(answering('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]'))
  const dev = { host: origin, closed: `http://127.0.0.1:${await closedPort()}` }
  const { path, remove } = directoryWith({
    'http-client.env.json': JSON.stringify({ dev }),
    'api/users.http': '### Users\n# @assert status == 201\nGET {{host}}/users\n',
    'api/script.http': '### A\nGET {{host}}/\n\n> {%\nclient.test("no", () => client.assert(false, "empty: 0"))\n%}\n',
    'api/closed.http': '### Closed\nGET {{closed}}/\n',
    'api/wrong.http': '### Wrong\n# @assrt status == 200\nGET {{hots}}/users\n',
  })
  onTestFinished(remove)
  return path
}

/** The lines that a task prints, for a file and the line of the cursor. */
async function linesOf({ command, args }: Task, relativeFile: string, lineNumber: number): Promise<readonly string[]> {
  expect(command).toBe('httpcli')
  const words = args.map((word) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of VS Code
    word.replace('${relativeFile}', relativeFile).replace('${lineNumber}', String(lineNumber)),
  )
  const { stdout, stderr } = await runCommand(words, {
    cwd: await failingRequests(),
    env: { GITHUB_STEP_SUMMARY: undefined },
  })
  return `${stdout}\n${stderr}`.split('\n')
}

function problemsOf({ problemMatcher: { severity, pattern } }: Task, lines: readonly string[]): readonly Problem[] {
  return lines.flatMap((text) => {
    const match = new RegExp(pattern.regexp).exec(text)
    if (match === null) return []
    const [file, line, column, message] = [pattern.file, pattern.line, pattern.column, pattern.message].map(
      (group) => match[group],
    )
    return [{ severity: match[pattern.severity] ?? severity, file, line, column, message }]
  })
}

const problem = (severity: string, place: string, message: unknown): Problem => {
  const [file, line, column] = place.split(':')
  return { severity, file, line, column, message: message as string }
}

describe('the tasks of VS Code', () => {
  it.each([
    ['an assertion', 'api/users.http', 3, 'api/users.http:2:11', 'expected: 201%0Aactual:   200'],
    ['a test of a script', 'api/script.http', 2, 'api/script.http:5:25', 'empty: 0'],
    ['a request without an answer', 'api/closed.http', 1, 'api/closed.http:2', /connection refused/],
    ['a request that cannot be sent', 'api/wrong.http', 3, 'api/wrong.http:3:5', /variable "hots"/],
  ])('find %s that failed', async (_name, file, line, place, message) => {
    const problems = problemsOf(runTask, await linesOf(runTask, file, line)).filter(
      ({ severity }) => severity === 'error',
    )
    expect(problems).toEqual([
      problem('error', place, typeof message === 'string' ? message : expect.stringMatching(message)),
    ])
  })

  it('find errors and warnings in all files', async () => {
    expect(problemsOf(checkTask, await linesOf(checkTask, '', 1))).toEqual([
      problem('warning', 'api/wrong.http:2:1', 'unknown tag @assrt'),
      problem('error', 'api/wrong.http:3:5', expect.stringContaining('variable "hots"')),
    ])
  })
})

describe('the settings of VS Code', () => {
  it('format only request files', () => {
    const [{ match, cmd }, ...others] = settings['emeraldwalk.runonsave'].commands as [{ match: string; cmd: string }]
    expect(others).toEqual([])
    expect(['a.http', 'a.rest', 'a.https', 'http.json'].filter((name) => new RegExp(match).test(name))).toEqual([
      'a.http',
      'a.rest',
    ])
    expect(cmd).toMatch(/^httpcli fmt /)
  })

  it('refer to schemas in the package', () => {
    const urls = settings['json.schemas'].map(({ url }) => url)
    const missing = urls.filter(
      (url) => !existsSync(join(projectRoot, url.replace('./node_modules/httpcli/docs/', 'docs/'))),
    )
    expect(urls.length).toBe(2)
    expect(missing).toEqual([])
  })
})

/** The expressions of Emacs as those of JavaScript: groups and alternatives have a backslash there. */
const [errorPattern, testPattern] = [
  ...fileOf('init.el').matchAll(/'\(httpcli\S* "(.*)" (?:2 3 4 \(1\)|1 2 3)\)/g),
].map(
  ([, source = '']) =>
    new RegExp(
      source
        .replaceAll('\\n', '\n')
        .replaceAll('\\\\', '\\')
        .replace(/\\([(|)])/g, '$1'),
    ),
) as [RegExp, RegExp]

describe('the expressions of Emacs', () => {
  const firstMatch = (pattern: RegExp, lines: readonly string[]): readonly (string | undefined)[] =>
    lines
      .map((line) => pattern.exec(line))
      .find((match) => match !== null)
      ?.slice(1) ?? []

  it('find errors and warnings', async () => {
    const lines = await linesOf(checkTask, '', 1)
    const isError = (line: string): boolean => line.startsWith('httpcli')
    expect(firstMatch(errorPattern, lines.filter(isError))).toEqual([undefined, 'api/wrong.http', '3', '5'])
    expect(
      firstMatch(
        errorPattern,
        lines.filter((line) => !isError(line)),
      ),
    ).toEqual(['warning', 'api/wrong.http', '2', '1'])
  })

  it('find an error without a column', async () => {
    const lines = await linesOf(runTask, 'api/closed.http', 1)
    expect(firstMatch(errorPattern, lines)).toEqual([undefined, 'api/closed.http', '2', undefined])
  })

  it('find failed tests', async () => {
    const lines = await linesOf(runTask, 'api/users.http', 3)
    expect(firstMatch(testPattern, lines)).toEqual(['api/users.http', '2', '11'])
  })
})
