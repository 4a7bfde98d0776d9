/**
 * The completions that shells offer after TAB: the scripts of `httpcli completion`, in real shells.
 *
 * Rules: bash and zsh sit on a terminal (script(1)) and are typed to; a hook writes down what they would offer. fish
 * can be asked. A shell that is not on the machine is skipped.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands, type OptionSpecification } from '../../src/cli/options/option-table.ts'
import { commandEnvironment, commandLine, runCommand } from '../helpers/command.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-completion-'))
const programs = mkdtempSync(join(tmpdir(), 'httpcli-completion-'))
afterAll(() => {
  for (const path of [directory, programs]) rmSync(path, { recursive: true, force: true })
})

beforeAll(async () => {
  mkdirSync(join(directory, 'site'))
  for (const name of ['api.http', 'my file.http', 'notes.txt', 'site/inner.rest'])
    writeFileSync(join(directory, name), '')
  writeFileSync(join(directory, 'api.http'), requestFile)
  writeFileSync(join(directory, 'my file.http'), '### Other\nGET http://localhost/\n')
  writeFileSync(join(directory, 'http-client.env.json'), '{ "dev": { "host": "a" }, "my staging": {} }')
  writeFileSync(join(directory, 'http-client.private.env.json'), '{ "prod": { "password": "hunter2" } }')
  writeFileSync(join(directory, 'broken.env.json'), '{ "dev": ')
  writeFileSync(join(programs, 'httpcli'), program, { mode: 0o755 })
  writeFileSync(join(programs, 'home.http'), '### At home\nGET http://localhost/\n')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runCommand(['completion', shell])
    expect(code).toBe(0)
    writeFileSync(join(directory, `httpcli.${shell}`), stdout)
    const short = await runCommand(['completion', shell, '--alias', 'h'])
    expect(short.code).toBe(0)
    writeFileSync(join(directory, `h.${shell}`), short.stdout)
  }
})

const tricky = 'it\'s "odd" $HOME `x` \\ !y'
const requestFile = `### Sign in
GET http://localhost/login

### ${tricky}
# @tag smoke
GET http://localhost/

###
GET http://localhost:3000/users
`
/** The command, if names are requested; other command lines are recorded. */
const program = `#!/bin/sh
[ "$1" = completion ] && exec ${commandLine()
  .map((word) => `'${word}'`)
  .join(' ')} "$@"
printf '%s\\n' '#' "$@" >> ran
`

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const ENVIRONMENT = {
  PATH: `${programs}:${process.env.PATH}`,
  HISTFILE: undefined,
  TERM: 'xterm',
  HOME: programs,
  LC_ALL: 'C.UTF-8',
  NODE_EXTRA_CA_CERTS: undefined,
}

/** Types each line and TAB into an interactive shell; gives what was offered for each. */
async function typeInto(shell: readonly string[], setup: string, lines: readonly string[]): Promise<string[][]> {
  const record = join(directory, 'offered')
  writeFileSync(record, '')
  const child = spawn('script', ['-qec', shell.join(' '), '/dev/null'], {
    cwd: directory,
    env: commandEnvironment(ENVIRONMENT),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let shown = ''
  const prompted = new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes: Buffer) => {
      shown += bytes.toString()
      if (/READY[\s\S]*ready> /.test(shown)) resolve()
    })
  })
  const closed = once(child, 'close')
  child.stdin.write(`PS1='ready> '; ${setup}; echo REA''DY\n`)
  await Promise.race([prompted, closed.then(() => Promise.reject(new Error(`the shell ended: ${shown}`)))])
  const kill = '\x15'
  for (const line of lines) child.stdin.write(line.endsWith('\n') ? line : `${line}\t${kill}`)
  child.stdin.end('exit\n')
  await closed
  return readFileSync(record, 'utf8')
    .split('#\n')
    .slice(1)
    .map((text) =>
      [
        ...new Set(
          text
            .split('\n')
            .filter((word) => word !== '')
            .map((word) => word.trim()),
        ),
      ].toSorted(),
    )
}

const bash = (lines: readonly string[]): Promise<string[][]> =>
  typeInto(
    ['bash', '--norc', '--noprofile', '-i'],
    [
      'source ./httpcli.bash',
      `offer() { _httpcli "$@"; printf '%s\\n' '#' "\${COMPREPLY[@]}" >> offered; }`,
      'complete -F offer httpcli',
    ].join('; '),
    lines,
  )

const zsh = (lines: readonly string[]): Promise<string[][]> =>
  typeInto(
    ['zsh', '-f', '-i'],
    [
      'unsetopt beep',
      'autoload -U compinit && compinit -u -D',
      'source ./httpcli.zsh',
      'functions -c _httpcli complete_httpcli',
      "_httpcli() { print '#' >> offered; complete_httpcli }",
      `compadd() { local -a hits; [[ "\${argv[*]}" == *-[OAD]\\ * ]] || { builtin compadd -A hits "$@"; print -l -- $hits >> offered }; builtin compadd "$@" }`,
    ].join('; '),
    lines,
  )

async function fish(lines: readonly string[]): Promise<string[][]> {
  return lines.map((line) => {
    const words = ['--no-config', '-c', 'source ./httpcli.fish; complete -C $argv[1]', line]
    const { stdout } = spawnSync('fish', words, {
      cwd: directory,
      env: commandEnvironment(ENVIRONMENT),
      encoding: 'utf8',
    })
    return [
      ...new Set(
        stdout
          .split('\n')
          .filter((word) => word !== '')
          .map((word) => word.split('\t')[0]!),
      ),
    ].toSorted()
  })
}

const names = commands.map(({ name }) => name).toSorted()
const flags = (options: readonly OptionSpecification[]): string[] => options.map(({ long }) => `--${long}`).toSorted()
const optionsOf = (name: string): readonly OptionSpecification[] =>
  commands.find((command) => command.name === name)!.options
/** zsh and fish offer a directory with its slash. */
const bare = (words: readonly string[]): string[] =>
  words.map((word) => word.replace(/\/$/, '').replaceAll('\\ ', ' ')).toSorted()

const cases: readonly (readonly [title: string, line: string, offered: readonly string[]])[] = [
  ['the sub-commands', 'httpcli ', names],
  ['a sub-command by its beginning', 'httpcli se', ['send', 'serve']],
  ['the choices of an option', 'httpcli send --color ', ['always', 'auto', 'never']],
  ['the choices of an option by their beginning', 'httpcli send --color a', ['always', 'auto']],
  ['the choices of a letter', 'httpcli send -i -p ', ['all', 'body', 'response', 'stats', 'status']],
  ['the choices after bundled letters', 'httpcli send -ip st', ['stats', 'status']],
  ['choices after an equals sign', 'httpcli serve site --log-format=', ['json', 'text']],
  ['request files and directories', 'httpcli run ', ['api.http', 'my file.http', 'site']],
  ['request files after options with values', 'httpcli run --env-file notes.txt -i a', ['api.http']],
  ['any file for an option', 'httpcli send -f n', ['notes.txt']],
  ['directories', 'httpcli serve ', ['site']],
  ['the topics of the help', 'httpcli help e', ['environment', 'exit-codes']],
  ['the shells', 'httpcli completion ', ['bash', 'fish', 'zsh']],
  ['environments, those of secrets too', 'httpcli run api.http -e ', ['dev', 'my staging', 'prod']],
  ['environments after an equals sign', 'httpcli check --environment=d', ['dev']],
  ['environments of a file that the line names', 'httpcli run --env-file http-client.env.json -e p', ['prod']],
  ['nothing of a file that is not complete', 'httpcli run --env-file broken.env.json -e m', []],
  ['requests of the file', 'httpcli run "my file.http" --name ', ['Other']],
  ['requests of a file below the home directory', 'httpcli run ~/home.http --name ', ['At home']],
  ['requests of the directory', 'httpcli run --name S', ['Sign in']],
  ['tags', 'httpcli run -i --tag ', ['smoke']],
  ['options after a URL', 'httpcli :3000/users --body-', ['--body-file', '--body-text']],
  ['options after a method and a URL', 'httpcli PUT localhost --body-', ['--body-file', '--body-text']],
  ['values of options before a URL', 'httpcli -i -p st', ['stats', 'status']],
  ['nothing after an unknown word', 'httpcli sned --body-', []],
  ['a URL in a value as one word', 'httpcli send --proxy http://a:1 --color n', ['never']],
]

/** Lines that are typed, with TAB in them, and what is then run. */
const typed: readonly (readonly [title: string, line: string, words: readonly string[]])[] = [
  ['an option', 'httpcli send :1/ --body-te\t x', ['send', ':1/', '--body-text', 'x']],
  ['a name with a blank', 'httpcli run --name Si\t', ['run', '--name', 'Sign in']],
  ['a name in double quotes', 'httpcli run --name "Si\t', ['run', '--name', 'Sign in']],
  ['a name in single quotes', "httpcli run --name 'Si\t", ['run', '--name', 'Sign in']],
  ['a name with characters of the shell', 'httpcli run api.http --name it\t', ['run', 'api.http', '--name', tricky]],
  ['a URL', 'httpcli run --name GET\\ http:\t', ['run', '--name', 'GET http://localhost:3000/users']],
  ['an environment after an equals sign', 'httpcli run --environment=my\t', ['run', '--environment=my staging']],
]

it.skipIf(!has('bash'))('bash inserts names as one word', async () => {
  await typeInto(
    ['bash', '--norc', '--noprofile', '-i'],
    'source ./httpcli.bash',
    typed.map(([, line]) => `${line}\n`),
  )
  expect(ranLines()).toEqual(typed.map(([, , words]) => words))
})

it.skipIf(!has('zsh'))('zsh inserts names as one word', async () => {
  const setup = 'unsetopt beep; autoload -U compinit && compinit -u -D; source ./httpcli.zsh'
  await typeInto(
    ['zsh', '-f', '-i'],
    setup,
    typed.map(([, line]) => `${line}\n`),
  )
  expect(ranLines()).toEqual(typed.map(([, , words]) => words))
})

describe('--alias', () => {
  it.each([
    ['bash', ['bash', '--norc', '--noprofile', '-i'], 'source ./h.bash'],
    ['zsh', ['zsh', '-f', '-i'], 'unsetopt beep; autoload -U compinit && compinit -u -D; source ./h.zsh'],
  ])('sets up an alias and its completion in %s', async (name, shell, setup) => {
    if (!has(name)) return
    await typeInto(shell, setup, ['h PUT :1/ --body-te\t x\n', 'h run --name Si\t\n'])
    expect(ranLines()).toEqual([
      ['PUT', ':1/', '--body-text', 'x'],
      ['run', '--name', 'Sign in'],
    ])
  })

  it.skipIf(!has('fish'))('sets up an alias and its completion in fish', () => {
    const words = ['--no-config', '-c', 'source ./h.fish; complete -C "h run --name S"; h send x']
    const { stdout } = spawnSync('fish', words, {
      cwd: directory,
      env: commandEnvironment(ENVIRONMENT),
      encoding: 'utf8',
    })
    expect(stdout).toContain('Sign in')
    expect(ranLines()).toEqual([['send', 'x']])
  })

  it.each(['', 'a b', '-h', '$(x)', "a'"])('refuses %j', async (alias) => {
    const { code, stderr } = await runCommand(['completion', 'bash', '--alias', alias])
    expect([code, stderr.toString()]).toEqual([
      1,
      expect.stringMatching(alias === '' ? /--alias has an empty value/ : /invalid --alias/),
    ])
  })

  it('needs a shell', async () => {
    const { code, stderr } = await runCommand(['completion', 'tags', '--alias', 'h'])
    expect([code, stderr.toString()]).toEqual([1, expect.stringContaining('--alias is for bash, zsh and fish')])
  })
})

/** The command lines that were run, as their words. */
function ranLines(): readonly (readonly string[])[] {
  const path = join(directory, 'ran')
  const lines = readFileSync(path, 'utf8').split('#\n').slice(1)
  rmSync(path)
  return lines.map((text) => text.split('\n').slice(0, -1))
}

it.each(['environments', 'requests', 'tags'])('%s that cannot be found give no results and no error', async (kind) => {
  const { code, stdout, stderr } = await runCommand(['completion', kind, '--', 'run', 'missing.http', '-e'], {
    cwd: join(directory, 'site'),
  })
  expect([code, stdout.toString(), stderr.toString()]).toEqual([
    0,
    kind === 'environments' ? 'dev\nmy staging\nprod\n' : '',
    '',
  ])
})

describe.each([
  { name: 'bash', ask: bash },
  { name: 'zsh', ask: zsh },
  { name: 'fish', ask: fish },
])('$name', ({ name, ask }) => {
  it.skipIf(!has(name))('offers matching words', async () => {
    const offered = await ask(cases.map(([, line]) => line))
    const found = cases.map(([title], index) => [
      title,
      bare((offered[index] ?? []).map((word) => word.replace(/^--(?:log-format|environment)=/, ''))),
    ])
    expect(found).toEqual(cases.map(([title, , words]) => [title, words]))
  })

  it.skipIf(!has(name))('offers every option of every sub-command', async () => {
    const offered = await ask(commands.map((command) => `httpcli ${command.name} --`))
    const long = offered.map((words) =>
      words
        .filter((word) => word.startsWith('--'))
        .map((word) => word.replace(/=$/, ''))
        .toSorted(),
    )
    expect(long).toEqual(commands.map((command) => flags(optionsOf(command.name))))
  })
})

it.each([
  [['fihs'], 'unknown shell "fihs": expected bash, zsh or fish. Did you mean fish?'],
  [['bash', 'zsh'], 'unexpected argument "zsh". Write httpcli completion bash.'],
])('reports %j', async (words, message) => {
  const { code, stderr } = await runCommand(['completion', ...words])
  expect([code, stderr.toString()]).toEqual([1, `httpcli completion: ${message}\n`])
})
