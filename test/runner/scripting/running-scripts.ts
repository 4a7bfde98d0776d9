/** For tests of the script engine: scripts run with a response, variables and a directory of modules. */

import { dirname } from 'node:path'
import { expect } from 'vitest'
import type { JsonValue } from '../../../src/http-file/index.ts'
import type { ConfinedFiles } from '../../../src/runner/files/confined-files.ts'
import { platformSources, type RequestIdentity } from '../../../src/runner/index.ts'
import type { ScriptFailure, ScriptJob } from '../../../src/runner/scripting/engine/script-engine.ts'
import { trialIn } from '../../../src/runner/scripting/operations/operation-effects.ts'
import { askRunner, askRunnerLater } from '../../../src/runner/scripting/operations/script-asking.ts'
import { untimedOperations } from '../../../src/runner/scripting/operations/script-operations.ts'
import type { ScriptResponse, ScriptScene } from '../../../src/runner/scripting/operations/script-scene.ts'
import type { DirectEngine } from '../../../src/runner/scripting/thread/direct-engine.ts'
import { ThreadEngine } from '../../../src/runner/scripting/thread/thread-engine.ts'
import type { VariableScope } from '../../../src/runner/variables/variable-scopes.ts'
import { filesBelow, noFiles } from '../../helpers/file-root.ts'

export interface Settings {
  readonly scripts?: readonly string[]
  readonly common?: readonly string[]
  readonly phase?: ScriptJob['phase']
  readonly mimeType?: string
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string
  readonly response?: Partial<ScriptResponse>
  readonly globals?: Map<string, JsonValue>
  readonly request?: Partial<ScriptScene['request']>
  readonly limits?: ScriptJob['limits']
  readonly path?: string
  readonly allowExec?: boolean
  readonly signal?: AbortSignal
  readonly engine?: ThreadEngine
  /** In place of `engine`; the outcome of a script that it declines is `declined`. */
  readonly direct?: DirectEngine
  /** Whether random bytes are the same in every run. */
  readonly isRepeatable?: boolean
}

/** A failure with its place flat. */
export interface SeenFailure extends Omit<ScriptFailure, 'place'> {
  readonly line: number | undefined
  readonly column: number | undefined
  readonly module: string | undefined
}

export type SeenEvent =
  | { readonly type: 'log'; readonly text: string }
  | { readonly type: 'test'; readonly name: string; readonly failure: SeenFailure | undefined }

export interface Outcome {
  readonly outcome: string
  readonly events: readonly SeenEvent[]
  /** The first one outside of tests. */
  readonly failure: SeenFailure | undefined
  readonly failures: readonly SeenFailure[]
}

const defaultEngine = new ThreadEngine()

const identity: RequestIdentity = {
  number: 1,
  name: '',
  method: 'GET',
  target: '/',
  file: 'a.http',
  line: 1,
  iteration: 0,
  tags: [],
}

export async function runScript(code: string, settings: Settings = {}): Promise<Outcome> {
  const events: SeenEvent[] = []
  const failures: SeenFailure[] = []
  const { allowExec = false, engine = defaultEngine, common = [], path = '/a.http' } = settings
  const limits = settings.limits ?? { timeoutMs: 60_000, memoryBytes: 32 * 1024 * 1024 }
  const scene = {
    ...sceneOf(settings),
    ...(settings.phase === 'pre-request' ? {} : { response: responseOf(settings) }),
  }
  const rules = { allowExec, limits }
  const job: ScriptJob = {
    scripts: (settings.scripts ?? [code]).map((text) => ({ parts: [...common, text], path, files: filesOf(path) })),
    phase: settings.phase ?? 'handler',
    ask: (operation, given) => askRunner(scene, rules, operation, given),
    askLater: (operation, given, ending) => askRunnerLater(scene, rules, operation, given, ending),
    untimedOperations,
    hasOwnClock: false,
    limits,
    signal: settings.signal,
    onEvent: (event) => {
      if (event.type === 'log') events.push({ type: 'log', text: event.text })
      else if (event.type === 'test') events.push({ type: 'test', name: event.name, failure: seen(event.failure) })
      else failures.push(seen(event.failure) as SeenFailure)
    },
  }
  const { direct } = settings
  const trial = trialIn(scene)
  const outcome =
    direct === undefined
      ? await engine.run(job)
      : ((trial === undefined ? undefined : await direct.run(job, trial)) ?? 'declined')
  return { outcome, events, failure: failures[0], failures }
}

/** The log of a script that must not fail; a test is reported as `test`. */
export async function logsOf(code: string, settings: Settings = {}): Promise<string[]> {
  const { events, failures } = await runScript(code, settings)
  expect(failures).toEqual([])
  return events.map((event) => (event.type === 'log' ? event.text : event.type))
}

function seen(failure: ScriptFailure | undefined): SeenFailure | undefined {
  if (failure === undefined) return undefined
  const { place, ...rest } = failure
  return { ...rest, line: place?.line, column: place?.column, module: place?.module }
}

function responseOf({
  mimeType = 'application/json; charset=utf-8',
  body,
  headers,
  response,
}: Settings): ScriptResponse {
  const content = Buffer.from(body ?? '{"id": 7, "name": "Zoë 🦊"}')
  return {
    status: 200,
    headers: headers ?? [
      ['Content-Type', mimeType],
      ['X-One', '1'],
      ['x-one', '2'],
    ],
    body: () => content,
    cookies: [],
    ...response,
  }
}

const files = new Map<string, ConfinedFiles>()

/** The same for all scripts of a directory, as in one run. */
function filesOf(path: string): ConfinedFiles {
  const directory = dirname(path)
  const known = files.get(directory) ?? filesBelow(directory)
  files.set(directory, known)
  return known
}

function sceneOf({ globals = new Map(), request, isRepeatable = false }: Settings): ScriptScene {
  const own = new Map<string, JsonValue>()
  const inFile = new Map<string, JsonValue>([['host', 'h.test']])
  const variables: ScriptScene['variables'] = {
    sources: { ...platformSources, isRepeatable },
    files: noFiles,
    load: async () => undefined,
    pathText: () => '',
    pathOf: () => '/a.js',
    scopes: {
      global: mapScope(globals),
      request: mapScope(own),
      file: mapScope(inFile),
      environment: { get: (name) => ({ secret: 's3' })[name], isEmpty: () => false },
    },
    globalHeaders: {
      set: (name, value) => globals.set(`header ${name}`, value),
      clear: (name) => globals.delete(`header ${name}`),
    },
    snapshot: () => {
      const before = [globals, own, inFile].map((map) => [map, [...map]] as const)
      return () => {
        for (const [map, entries] of before) {
          map.clear()
          for (const [name, value] of entries) map.set(name, value)
        }
      }
    },
    dynamic: (expression) => ({ $uuid: 'u-1', '$random.integer(1, 2)': 1, '$random.address.city': 'Ulm' })[expression],
    dynamicKind: (name) =>
      (({ $random: 'group', '$random.address': 'group', '$random.integer': 'function' }) as const)[name] ??
      (name.startsWith('$') ? 'value' : undefined),
    loadFor: async () => undefined,
  }
  const text = (raw: string, sent: string) => ({ raw, substituted: () => sent })
  return {
    identity,
    source: { path: 'a.http', text: '' },
    path: '/a.http',
    common: [],
    variables,
    request: {
      method: 'POST',
      url: text('http://{{host}}/a', 'http://h.test/a'),
      body: text('{{x}}', 'X'),
      headers: [{ name: 'X-A', ...text('{{a}}', 'A') }],
      iteration: 3,
      templateValue: (index) => ['t0', 't1'][index],
      load: async () => undefined,
      ...request,
    },
  }
}

function mapScope(map: Map<string, JsonValue>): VariableScope {
  return {
    get: (name) => map.get(name),
    isEmpty: () => map.size === 0,
    set: (name, value) => map.set(name, value),
    clear: (name) => map.delete(name),
    clearAll: () => map.clear(),
  }
}
