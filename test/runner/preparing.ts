/** For tests of what would be sent: a text planned and put together, nothing on the wire, no scripts. */
import { HttpcliError } from '../../src/message/index.ts'
import { loadEnvironment } from '../../src/runner/context/environment-files.ts'
import { loadHttpFile } from '../../src/runner/plan/request-file.ts'
import { planRun } from '../../src/runner/plan/run-plan.ts'
import { type PreparedRequest, requestRounds } from '../../src/runner/request/request-builder.ts'
import { platformSources, type ValueSources } from '../../src/runner/variables/dynamic/value-sources.ts'
import { SharedVariables } from '../../src/runner/variables/shared-variables.ts'
import { filesBelow } from '../helpers/file-root.ts'
import { directoryWith } from '../helpers/temporary-directory.ts'

export interface SentRequest {
  /** `METHOD target HTTP/version` */
  readonly line: string
  /** `Name: value` as bytes. */
  readonly headers: readonly string[]
  readonly body: Buffer
  readonly prepared: PreparedRequest
}

export interface Preparation {
  readonly sent: readonly SentRequest[]
  /** `line:column code message` */
  readonly errors: readonly string[]
  readonly failures: readonly HttpcliError[]
}

export interface PreparationSettings {
  readonly environmentName?: string
  /** Files beside the request file. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly commandLine?: ReadonlyMap<string, string>
  readonly processEnvironment?: Readonly<Record<string, string>>
  readonly sources?: ValueSources
  readonly isLenient?: boolean
  /** Default: the directory of the request file. */
  readonly fileRoot?: string
  /** Called after each request, as its handlers would be. */
  readonly onSent?: (shared: SharedVariables, count: number) => void
}

/** Puts together all requests of a text as `test.http` in a separate directory. */
export async function prepareText(text: string, settings: PreparationSettings = {}): Promise<Preparation> {
  const { files, environmentName, onSent, fileRoot, sources = platformSources, ...options } = settings
  const directory = directoryWith({ '.git': '', ...files, 'test.http': text })
  const sent: SentRequest[] = []
  const failures: HttpcliError[] = []
  try {
    const loaded = loadHttpFile('test.http', directory.path)
    const environment = loadEnvironment(loaded.path, environmentName).variables
    const shared = new SharedVariables({
      environment,
      sources,
      files: filesBelow(fileRoot ?? directory.path),
      ...options,
    })
    for (const step of (await planRun(loaded, shared)).steps()) {
      if (step instanceof HttpcliError) {
        failures.push(step)
        continue
      }
      try {
        for (const { build } of requestRounds(step)) {
          sent.push(await encoded(await build()))
          onSent?.(shared, sent.length)
        }
      } catch (error) {
        if (!(error instanceof HttpcliError)) throw error
        failures.push(error)
      }
    }
  } finally {
    directory.remove()
  }
  const errors = failures.map(({ where, code, message }) => `${where?.line}:${where?.column} ${code} ${message}`)
  return { sent, errors, failures }
}

async function encoded(prepared: PreparedRequest): Promise<SentRequest> {
  const octets: Uint8Array[] = []
  for await (const piece of prepared.message.encode()) octets.push(piece)
  const whole = Buffer.concat(octets)
  const end = whole.indexOf('\r\n\r\n')
  const [line = '', ...headers] = whole.subarray(0, end).toString('latin1').split('\r\n')
  return { line, headers, body: whole.subarray(end + 4), prepared }
}
