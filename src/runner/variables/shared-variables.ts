/** The state that the variables of all requests of a run share: settings, `client.global` and its headers. */
import type { JsonValue } from '../../http-file/index.ts'
import type { SecretSink } from '../../secrets/index.ts'
import type { Place } from '../base/errors.ts'
import type { ConfinedFiles } from '../files/confined-files.ts'
import type { TokenSource } from './dynamic/context-variables.ts'
import { DotenvFiles } from './dynamic/dotenv-files.ts'
import type { ValueSources } from './dynamic/value-sources.ts'
import type { ForeseenValues } from './foreseen-values.ts'
import { AnsweredRequests } from './request-references.ts'
import { RunSession, type SharedState } from './run-session.ts'

/** Settings for all variables of a run. */
export interface VariableOptions {
  /** Variables of the selected environment. */
  readonly environment: ReadonlyMap<string, JsonValue>
  /** The name of that environment, if one was selected. */
  readonly environmentName?: string | undefined
  /** Names that the environment declares without a value. */
  readonly nullNames?: ReadonlySet<string> | undefined
  /** The environments in the same files that have a variable of this name, whichever was selected. */
  readonly environmentsWith?: ((name: string) => readonly string[]) | undefined
  /** `-V name=value`, and the row of a data file. */
  readonly commandLine?: ReadonlyMap<string, JsonValue> | undefined
  readonly sources: ValueSources
  /** The files that the request file may reach. */
  readonly files: ConfinedFiles
  /** Environment variables of the process, for `{{$env.NAME}}`. */
  readonly processEnvironment?: Readonly<Record<string, string | undefined>> | undefined
  /** Whether an unknown variable is an empty text instead of an error. */
  readonly isLenient?: boolean | undefined
  readonly tokens?: TokenSource
  /** Present if nothing is sent: placeholders for values that only a response could provide. */
  readonly foreseen?: ForeseenValues | undefined
  /** Private variables that contain others, and the sink for their rendered values. */
  readonly secrets?: { readonly names: ReadonlySet<string>; readonly sink: SecretSink } | undefined
  /** The state that earlier runs left. Default: empty. */
  readonly earlier?: SharedState | undefined
}

export class SharedVariables {
  readonly options: VariableOptions
  /** `client.global` */
  readonly globals: SharedState['globals']
  /** `client.global.headers`: fields by lower-case name. */
  readonly globalHeaders: SharedState['globalHeaders']

  /** For `{{name.response.body.path}}`. */
  readonly answers: AnsweredRequests
  /** For `{{$dotenv NAME}}`. */
  readonly dotenv: DotenvFiles
  /** The other request of the run that sets a variable of this name, as shown in messages. */
  setterOf: (name: string, use: Place) => string | undefined = () => undefined

  constructor(options: VariableOptions) {
    this.options = options
    const { globals, globalHeaders, answered } = options.earlier ?? new RunSession().stateOf('')
    this.globals = globals
    this.globalHeaders = globalHeaders
    this.answers = new AnsweredRequests(answered)
    this.dotenv = new DotenvFiles(options.files, options.environmentName, options.secrets?.sink)
  }
}
