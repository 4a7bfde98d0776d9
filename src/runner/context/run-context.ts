/**
 * The state that the requests of one run share: variables, cookies, tokens, TLS settings, scripts.
 *
 * Rules: everything here belongs to one run and is loaded on demand; expensive objects come from RunResources, which
 * runs share.
 */
import { parseTemplate } from '../../http-file/index.ts'
import type { TlsOptions } from '../../wire/index.ts'
import { foreseenTokens, LazyTokens } from '../auth/auth-tokens.ts'
import { RunError } from '../base/errors.ts'
import type { RunListener } from '../base/events.ts'
import { RunCookies } from '../cookies/cookie-jar.ts'
import { HttpClient, idleMsOfStreams } from '../exchange/http-client.ts'
import { ConfinedFiles } from '../files/confined-files.ts'
import type { GrpcTypeCache } from '../grpc/method.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { LoadFile } from '../plan/request-index.ts'
import { planRun, type RunPlan } from '../plan/run-plan.ts'
import type { PlainScripts } from '../scripting/plain/plain-scripts.ts'
import type { ScriptRunner } from '../scripting/script-runner.ts'
import { platformSources } from '../variables/dynamic/value-sources.ts'
import { FileScope } from '../variables/file-scope.ts'
import { ForeseenValues } from '../variables/foreseen-values.ts'
import { SharedVariables } from '../variables/shared-variables.ts'
import { Variables } from '../variables/variables.ts'
import type { SettingPart, SettingSource } from './environment-files.ts'
import type { RunOptions } from './run-options.ts'
import type { RunResources } from './run-resources.ts'
import { setterFinder } from './variable-setters.ts'

type Settings = Omit<RunOptions, 'listener'>

export class RunContext {
  readonly httpClient: HttpClient
  readonly variables: SharedVariables
  readonly plainScripts: PlainScripts
  readonly files: ConfinedFiles
  readonly emit: RunListener
  readonly grpcTypes: GrpcTypeCache = new Map()
  readonly #loaded: LoadedHttpFile
  readonly #options: Settings
  readonly #resources: RunResources
  #scripts: Promise<ScriptRunner> | undefined
  #tls: Promise<TlsOptions> | undefined

  constructor(loaded: LoadedHttpFile, options: Settings, resources: RunResources, emit: RunListener) {
    const { variables, processEnvironment, isLenient, sources = platformSources, wire, environment, secrets } = options
    this.#loaded = loaded
    this.#options = options
    this.#resources = resources
    this.plainScripts = resources.plainScripts
    this.emit = emit
    this.httpClient = new HttpClient({
      wire: {
        ...wire,
        pool: resources.pool,
        ...(wire?.timeouts?.idleMs === undefined ? { idleMsOf: idleMsOfStreams } : {}),
      },
      cookies: options.cookies ?? RunCookies.read(undefined, '', sources.now),
      userAgent: options.userAgent ?? 'httpcli',
      tls: () => this.#tlsOptions(),
      randomBytes: sources.randomBytes,
      onWarning: (error) => this.emit({ type: 'warning', error }),
      traceparent: options.traceparent,
      secrets,
    })
    const foreseen = options.isDryRun === true ? new ForeseenValues() : undefined
    const tokens = new LazyTokens({
      settings: environment.security,
      shared: resources.tokens,
      wireOptions: (url) => this.httpClient.wireOptions(url),
      render: (text) => this.#render(text),
      sources,
      askUser: options.askUser,
      signal: wire?.signal,
      secrets,
    })
    this.files = filesOf(loaded, options, resources)
    this.variables = new SharedVariables({
      environment: environment.variables,
      environmentName: environment.name,
      nullNames: environment.nullNames,
      environmentsWith: environment.environmentsWith,
      commandLine: variables,
      tokens: foreseen === undefined ? tokens : foreseenTokens(tokens, foreseen),
      secrets: secrets && { names: environment.secretTemplates ?? new Set(), sink: secrets },
      files: this.files,
      sources,
      foreseen,
      processEnvironment,
      isLenient,
      earlier: options.session?.stateOf(loaded.path),
    })
  }

  /** The requests that the run sends, in order. @throws as `planRun` */
  async plan(): Promise<RunPlan> {
    const loadFile: LoadFile = (...args) => this.#resources.loadFile(...args)
    const plan = await planRun(this.#loaded, this.variables, { choice: this.#options.choice, loadFile })
    this.variables.setterOf = setterFinder(() => plan.candidates.map(([place]) => place))
    return plan
  }

  scriptRunner(): Promise<ScriptRunner> {
    if (this.#scripts === undefined) {
      this.#scripts = this.#openScriptRunner()
      // Its error is thrown on first use.
      this.#scripts.catch(() => undefined)
    }
    return this.#scripts
  }

  async #openScriptRunner(): Promise<ScriptRunner> {
    const { scriptLimits, allowsPrograms, isDryRun, wire } = this.#options
    const { engines } = this.#resources
    const onLoaded = engines.onLoad?.()
    const { openScriptRunner } = await import('../scripting/script-runner.ts').finally(onLoaded)
    return openScriptRunner({
      emit: this.emit,
      engines,
      limits: scriptLimits,
      isDryRun,
      allowExec: allowsPrograms,
      signal: wire?.signal,
    })
  }

  /** Returns objects that came from the shared resources. */
  async close(): Promise<void> {
    // The error was reported to the caller that awaited the scripts.
    await this.#scripts?.then((runner) => runner.close()).catch(() => undefined)
  }

  /** The settings of the environment, overridden by those of the caller. */
  async #tlsOptions(): Promise<TlsOptions | undefined> {
    const { environment, wire } = this.#options
    const settings = environment.ssl
    if (settings === undefined) return wire?.tls
    this.#tls ??= this.#sharedTls(settings)
    return this.#tls
  }

  async #sharedTls(settings: SettingSource): Promise<TlsOptions> {
    const key = await this.#render(JSON.stringify([settings.parts.map(tlsKey), this.files.root.directory]), 'tryRender')
    return this.#resources.tls.take(
      key,
      () => true,
      async () => {
        const { readSslConfiguration } = await import('./tls-settings.ts')
        const tls = await readSslConfiguration(settings, {
          render: (text) => this.#render(text),
          renderPath: (text) => this.#render(text, 'pathText'),
          files: this.files,
          warn: (error) => this.emit({ type: 'warning', error }),
        })
        if (tls.passphrase !== undefined) this.#options.secrets?.add(tls.passphrase)
        if (tls.verify === false) {
          const message = 'certificates of servers are not checked (verifyHostCertificate of SSLConfiguration)'
          await this.emit({ type: 'warning', error: new RunError('unverified', message) })
        }
        const { verify, ...others } = this.#options.wire?.tls ?? {}
        return { ...tls, ...others, ...(verify === false ? { verify } : {}) }
      },
    )
  }

  /** A text of the environment's settings, with its variables replaced. */
  async #render(text: string, method: 'render' | 'tryRender' | 'pathText' = 'render'): Promise<string> {
    const { source, path } = this.#loaded
    const variables = new Variables(this.variables, new FileScope(source, path))
    const template = parseTemplate(text)
    await variables.load([template], method === 'tryRender')
    return variables[method](template)
  }
}

function tlsKey({ value, directory, isPrivate }: SettingPart): readonly unknown[] {
  return [value, directory, isPrivate]
}

function filesOf({ path }: LoadedHttpFile, options: Settings, resources: RunResources): ConfinedFiles {
  const { fileRoot, workingDirectory, processEnvironment, environment, onFileUse } = options
  const root = resources.fileRoot(path, { fileRoot, workingDirectory, environment: processEnvironment })
  return new ConfinedFiles(root, {
    protectedFiles: environment.files,
    ...(onFileUse === undefined ? {} : { onUse: onFileUse }),
  })
}
