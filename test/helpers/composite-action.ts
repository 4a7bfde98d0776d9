/**
 * Runs the action of this repository as a GitHub runner does: its shell steps in order, with the files and variables
 * that the runner provides. Actions of other projects are recorded instead of run.
 *
 * Rules: only the expressions in action.yml are supported; any other fails. Each condition is listed in a table, so
 * that a change of action.yml needs a change here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parse } from 'yaml'
import { commandEnvironment } from './command.ts'
import { projectRoot } from './document.ts'

interface Step {
  readonly id?: string
  readonly if?: string
  readonly run?: string
  readonly uses?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

export interface ActionRun {
  /** The exit code of the first step that failed; 0 if none did. */
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly outputs: Readonly<Record<string, string>>
  /** What was written to GITHUB_STEP_SUMMARY. */
  readonly summary: string
  /** Names of the actions of other projects, without their versions, with their inputs. */
  readonly used: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The directories in which later steps find programs. */
  readonly path: readonly string[]
}

export interface ActionOptions {
  readonly inputs?: Readonly<Record<string, string>>
  /** Added to the variables of the runner. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether the cache contains the entry that the action looks for. */
  readonly isCached?: boolean
}

type Values = Record<string, string>

const conditions: Readonly<Record<string, (value: (name: string) => string, hasFailed: boolean) => boolean>> = {
  "steps.cache.outputs.cache-hit != 'true'": (value, hasFailed) =>
    !hasFailed && value('steps.cache.outputs.cache-hit') !== 'true',
  "inputs.releases-url == ''": (value, hasFailed) => !hasFailed && value('inputs.releases-url') === '',
  "inputs.args != ''": (value, hasFailed) => !hasFailed && value('inputs.args') !== '',
  "${{ !cancelled() && inputs.artifact != '' && steps.run.outputs.reports != '' }}": (value) =>
    value('inputs.artifact') !== '' && value('steps.run.outputs.reports') !== '',
}

/** @param workspace the directory of the caller's checkout; the files of the runner go into its `.runner` */
export async function runAction(workspace: string, options: ActionOptions = {}): Promise<ActionRun> {
  const action = parse(readFileSync(join(projectRoot, 'action.yml'), 'utf8')) as Action
  const values: Values = { 'github.action_repository': 'owner/httpcli' }
  for (const [name, input] of Object.entries(action.inputs)) {
    values[`inputs.${name}`] = options.inputs?.[name] ?? input.default
  }
  const value = (name: string): string => values[name] ?? ''
  const resolved = (text: string): string => text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => value(name))
  const runner = runnerIn(workspace)
  const run = { code: 0 as number | null, out: '', err: '', used: {} as Record<string, Values> }

  for (const step of action.runs.steps) {
    if (!isWanted(step, value, run.code !== 0)) continue
    if (step.uses !== undefined) {
      run.used[step.uses.replace(/@.*/, '')] = mapped(step.with ?? {}, resolved)
      if (step.id === 'cache') values['steps.cache.outputs.cache-hit'] = options.isCached === true ? 'true' : ''
      continue
    }
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? 'false'], {
      cwd: join(workspace, resolved(step['working-directory'] ?? '.')),
      env: commandEnvironment({
        ...runner.environment(),
        ...options.env,
        ...mapped(step.env ?? {}, resolved),
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (text: Buffer) => (run.out += text.toString()))
    child.stderr.on('data', (text: Buffer) => (run.err += text.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    if (run.code === 0) run.code = code
    for (const [name, text] of runner.outputs()) values[`steps.${step.id}.outputs.${name}`] = text
  }
  const outputs = Object.entries(action.outputs).map(([name, output]) => [name, resolved(output.value)] as const)
  return { ...run, outputs: Object.fromEntries(outputs), summary: runner.summary(), path: runner.path() }
}

function isWanted(step: Step, value: (name: string) => string, hasFailed: boolean): boolean {
  if (step.if === undefined) return !hasFailed
  const condition = conditions[step.if]
  if (condition === undefined) throw new Error(`action.yml has a condition that is not in the table: ${step.if}`)
  return condition(value, hasFailed)
}

function mapped(texts: Readonly<Record<string, string>>, change: (text: string) => string): Values {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)]))
}

/** The files that a runner creates for its steps, and the content that steps have written to them. */
function runnerIn(workspace: string) {
  const directory = join(workspace, '.runner')
  const file = (name: string): string => join(directory, name)
  mkdirSync(file('temp'), { recursive: true })
  const textOf = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '')
  const path = (): readonly string[] =>
    textOf('path')
      .split('\n')
      .filter((line) => line !== '')
  return {
    path,
    summary: () => textOf('summary'),
    environment: (): Values => ({
      GITHUB_ACTION_PATH: projectRoot,
      GITHUB_SERVER_URL: 'http://127.0.0.1:1',
      GITHUB_WORKSPACE: workspace,
      GITHUB_OUTPUT: file('output'),
      GITHUB_PATH: file('path'),
      GITHUB_STEP_SUMMARY: file('summary'),
      RUNNER_OS: 'Linux',
      RUNNER_ARCH: 'X64',
      RUNNER_TEMP: file('temp'),
      PATH: [...path(), process.env.PATH ?? ''].join(delimiter),
    }),
    /** The outputs of the last step. */
    outputs: (): readonly (readonly [name: string, value: string])[] => {
      const lines = textOf('output').split('\n')
      writeFileSync(file('output'), '')
      return lines.flatMap((line) => {
        const [, name, text] = /^([\w-]+)=(.*)$/.exec(line) ?? []
        return name === undefined || text === undefined ? [] : [[name, text] as const]
      })
    },
  }
}
