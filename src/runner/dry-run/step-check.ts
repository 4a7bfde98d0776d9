/**
 * Checks the steps of a run one by one, without sending anything.
 *
 * Rules: a value that a script or a capture sets is known to later steps only. A request is not checked against every
 * possible content of a value that is not known yet. If scripts compute names of variables, an unknown variable is only
 * a warning.
 */
import {
  nearestNames,
  type Request,
  type ScriptNode,
  type Span,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import type { RunContext } from '../context/run-context.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import { firstLineOf } from '../plan/request-labels.ts'
import type { RunStep } from '../plan/run-plan.ts'
import { unansweredPrompt } from '../request/prompts.ts'
import type { RequestContext } from '../request/request-context.ts'
import { tagNames } from '../request/request-tags.ts'
import { checkTemplates, sentTemplates, writtenHost } from '../request/request-templates.ts'
import { scriptCode } from '../scripting/script-sources.ts'
import { namesSetIn } from '../scripting/source/script-names.ts'
import type { ForeseenValues } from '../variables/foreseen-values.ts'
import type { VariableOptions } from '../variables/shared-variables.ts'
import { parseVariablePath } from '../variables/variable-path.ts'
import type { Finding, FindingList } from './finding-list.ts'
import { type Advice, jsonAdvice, multipartAdvice, requestAdvice, typeAdvice } from './request-advice.ts'
import { declaredNames, scriptAdvice } from './script-advice.ts'
import type { ScriptChecker } from './script-checker.ts'
import { textAdvice } from './text-advice.ts'
import type { TouchList } from './touch-list.ts'
import {
  fieldOf,
  foreseePrompts,
  foreseeResponse,
  isGraphqlDraft,
  type UnsentRequest,
  unsentRequests,
} from './unsent-request.ts'
import { commandLineWords, hiddenSets, namesInBraces } from './variable-advice.ts'

export class StepCheck {
  requests = 0
  checks = 0
  readonly #code: string[] = []
  readonly #services: RunContext
  readonly #foreseen: ForeseenValues
  readonly #scripts: ScriptChecker
  readonly #found: FindingList
  readonly #touched: TouchList
  readonly #declared = new Map<LoadedHttpFile, ReadonlySet<string>>()
  readonly #used = new Map<LoadedHttpFile, ReadonlySet<string>>()

  /** @param services the services of a dry run */
  constructor(services: RunContext, scripts: ScriptChecker, found: FindingList, touched: TouchList) {
    this.#touched = touched
    this.#services = services
    this.#foreseen = services.variables.options.foreseen as ForeseenValues
    this.#scripts = scripts
    this.#found = found
  }

  get scriptCode(): string {
    return this.#code.join('\n')
  }

  async step(step: RunStep): Promise<void> {
    if (step instanceof HttpcliError) this.#found.add([step], 'error')
    else await this.#request(step)
  }

  async #request(context: RequestContext): Promise<void> {
    const { request, section, variables, loaded, scriptsBefore, handlers } = context
    const scripts = [...scriptsBefore, ...handlers]
    this.requests++
    this.checks += request.assertions.length + request.captures.length
    this.#foreseen.beginRequest()
    const code = await scriptCode(scripts, context)
    this.#code.push(code)
    this.#touched.addText(code)
    await this.#checkScripts(scriptsBefore, context)
    const set = namesSetIn(await scriptCode(scriptsBefore, context))
    this.#foreseen.foresee(set)
    this.#foreseen.foreseeForRequest(set.requestNames)
    await this.#guarded(() => {
      const prompts = foreseePrompts(context)
      // A check cannot ask the user, and a later run may not be able to either.
      const errors = prompts.map((prompt) => unansweredPrompt(prompt, context))
      this.#found.add(errors, 'error')
    })
    await this.#checkVariables(sentTemplates(request), context, 'error')
    if (!isBroken(context)) await this.#prepare(context)
    await this.#checkScripts(handlers, context)
    this.#foreseen.foresee({ names: new Set(request.captures.map(({ name }) => name)), hasComputed: false })
    await this.#checkVariables(checkTemplates([...request.captures, ...request.assertions]), context, 'failed')
    const declared = this.#declaredNames(loaded, code)
    const used = this.#used.get(loaded) ?? namesInBraces(loaded.source.text)
    this.#used.set(loaded, used)
    this.#advise(
      [
        ...requestAdvice(request),
        ...textAdvice(section, loaded.file.sections[0] === section),
        ...scripts.flatMap((script) => scriptAdvice(script, declared)),
        ...scripts.flatMap((script) => hiddenSets(script, variables.shared.options, used)),
        ...captureAdvice(request, variables.shared.options),
        ...tagAdvice(request),
      ],
      context,
    )
    await foreseeResponse(context)
  }

  /** Each file is searched once, for all its requests. */
  #declaredNames(loaded: LoadedHttpFile, code: string): ReadonlySet<string> {
    const ofFile = this.#declared.get(loaded) ?? declaredNames(loaded.source.text)
    this.#declared.set(loaded, ofFile)
    return new Set([...ofFile, ...declaredNames(code)])
  }

  async #checkScripts(scripts: readonly ScriptNode[], context: RequestContext): Promise<void> {
    for (const script of scripts) {
      await this.#guarded(async () => this.#found.add(await this.#scripts.check(script, context), 'failed'))
    }
  }

  /** Runs `action` and records its error, which would prevent the request from being sent. */
  async #guarded(action: () => void | Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      this.#found.add([error], 'error')
    }
  }

  /** Reports the variables in templates that have no value. */
  async #checkVariables(
    templates: readonly Template[],
    context: RequestContext,
    outcome: Finding['outcome'],
  ): Promise<void> {
    for (const part of templates.flatMap(({ parts }) => parts)) {
      if (part.type === 'text') continue
      try {
        await context.variables.load([{ parts: [part] }])
        context.variables.resolve(part.expression, part.span)
        this.#warnOfGuess(part.expression, part.span, context)
      } catch (error) {
        if (!(error instanceof HttpcliError)) throw error
        this.#found.add([error], outcome)
        // Continue, so that the rest of the request is also checked.
        this.#foreseen.assume(rootOf(part.expression))
      }
    }
  }

  #warnOfGuess(expression: string, span: Span, context: RequestContext): void {
    const { variables } = context
    const name = rootOf(expression)
    if (!this.#foreseen.isGuess(name) || variables.names(variables.scope).includes(name)) return
    const message = `the variable ${JSON.stringify(name)} is not defined, unless a script that computes names sets it`
    this.#found.warn(context.error(span, { code: 'unknown-variable', message }))
  }

  /** Builds the request as it would be sent, as far as its values are known. */
  async #prepare(context: RequestContext): Promise<void> {
    for (const { build } of unsentRequests(context, false)) {
      await this.#guarded(() => this.#prepareRound(build, context))
    }
  }

  async #prepareRound(build: () => Promise<UnsentRequest>, context: RequestContext): Promise<void> {
    const { request } = context
    try {
      const unsent = await build()
      for (const warning of unsent.warnings) this.#found.warn(warning)
      const isDraft = unsent.kind === 'draft'
      const type = isDraft ? fieldOf(unsent.headers, 'content-type') : unsent.message.headers.first('content-type')
      if (!isDraft || !isGraphqlDraft(unsent)) {
        this.#advise(jsonAdvice(request, type ?? '', unsent.bodyText), context)
      }
      this.#advise(typeAdvice(request, type, unsent.bodyText), context)
      this.#advise(multipartAdvice(request, type ?? '', unsent.bodyText), context)
      const url = isDraft ? undefined : unsent.message.url
      if (isDraft) this.#touched.addHost(writtenHost(unsent.target, fieldOf(unsent.headers, 'host')))
      if (url !== undefined) this.#touched.addHost(url.host)
      if (url?.protocol === 'https:') await this.#services.httpClient.wireOptions(url)
    } catch (error) {
      const fields = request.headers.map(({ name, value }) => [templateText(name), templateText(value)] as const)
      this.#touched.addHost(writtenHost(templateText(request.line.target), fieldOf(fields, 'host')))
      throw error
    }
  }

  #advise(advice: readonly Advice[], context: RequestContext): void {
    for (const { span, ...problem } of advice) this.#found.warn(context.error(span, problem))
  }
}

/** Unknown tags are comments, but a tag that is similar to a known one is probably a misspelling. */
function tagAdvice({ tags }: Request): readonly Advice[] {
  return tags.flatMap(({ name, value, span }): readonly Advice[] => {
    if (value === '' && needsValue.has(name)) {
      const message = `@${name} has no value, and no effect`
      return [{ code: 'empty-tag', message, hint: `Write "# @${name} login".`, span }]
    }
    const [nearest] = tagNames.includes(name) ? [] : nearestNames(name, tagNames)
    if (nearest === undefined) return []
    return [{ code: 'unknown-tag', message: `unknown tag @${name}`, hint: `Did you mean @${nearest}?`, span }]
  })
}

/** Warns about captures that another variable overrides. */
function captureAdvice({ captures }: Request, { environment, commandLine }: VariableOptions): readonly Advice[] {
  return captures.flatMap(({ name, span }): readonly Advice[] => {
    if (!environment.has(name) && commandLine?.has(name) !== true) return []
    const where = environment.has(name) ? 'the environment' : commandLineWords
    const message = `the captured value has no effect: ${where} has a variable ${JSON.stringify(name)}, which takes precedence`
    return [{ code: 'hidden-capture', message, span }]
  })
}

/** Whether the section of a request has syntax errors. Errors that follow from them need not be reported. */
function isBroken({ loaded: { file, problem }, section }: RequestContext): boolean {
  if (problem === undefined) return false
  const next = file.sections[file.sections.indexOf(section) + 1]
  const end = next === undefined ? Number.POSITIVE_INFINITY : firstLineOf(next)
  return problem.errors.some(({ where }) => {
    return where !== undefined && where.line >= firstLineOf(section) && where.line < end
  })
}

const needsValue: ReadonlySet<string> = new Set(['name', 'tag', 'tags'])

/** The variable that an expression begins with. */
function rootOf(expression: string): string {
  return parseVariablePath(expression)?.root ?? expression
}
