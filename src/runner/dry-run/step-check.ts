/**
 * The steps of a run looked at one after the other, and not carried out.
 *
 * Rules: a value that a script or a capture brings is known to what comes behind it, not before. A request in which a
 * value is only to come is not judged by what that value might be. Where scripts compute names, an unknown variable is a
 * warning.
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
import { errorAt } from '../base/errors.ts'
import type { RunContext } from '../context/run-context.ts'
import type { RunStep } from '../plan/run-plan.ts'
import { unansweredPrompt } from '../request/prompts.ts'
import { tagNames } from '../request/request-tags.ts'
import { checkTemplates, sentTemplates, writtenHost } from '../request/request-templates.ts'
import { scriptCode } from '../scripting/script-sources.ts'
import { namesSetIn } from '../scripting/source/script-names.ts'
import { type ForeseenValues, foreseenPattern } from '../variables/foreseen-values.ts'
import { parseVariablePath } from '../variables/variable-path.ts'
import type { FindingList } from './finding-list.ts'
import { type Advice, jsonAdvice, requestAdvice } from './request-advice.ts'
import { scriptAdvice } from './script-advice.ts'
import type { ScriptChecker } from './script-checker.ts'
import { textAdvice } from './text-advice.ts'
import type { TouchList } from './touch-list.ts'
import { fieldOf, foreseePrompts, foreseeResponse, unsentRequests } from './unsent-request.ts'

export class StepCheck {
  requests = 0
  checks = 0
  readonly #code: string[] = []
  readonly #services: RunContext
  readonly #foreseen: ForeseenValues
  readonly #scripts: ScriptChecker
  readonly #found: FindingList
  readonly #touched: TouchList

  /** @param services of a run that sends nothing */
  constructor(services: RunContext, scripts: ScriptChecker, found: FindingList, touched: TouchList) {
    this.#touched = touched
    this.#services = services
    this.#foreseen = services.variables.options.foreseen as ForeseenValues
    this.#scripts = scripts
    this.#found = found
  }

  /** The code of the scripts of all steps so far. */
  get scriptCode(): string {
    return this.#code.join('\n')
  }

  async step(step: RunStep): Promise<void> {
    this.#found.add(step.errors, 'error')
    const { request } = step.section
    if (request === undefined || step.errors.length > 0) return
    const { common } = step.loaded.file
    this.requests++
    this.checks += request.assertions.length + request.captures.length
    this.#foreseen.beginRequest()
    const code = await scriptCode(allScripts(step), step)
    this.#code.push(code)
    this.#touched.addText(code)
    await this.#checkScripts([...common.preRequestScripts, ...request.preRequestScripts], step)
    await this.#foreseeScripts(step, request)
    this.#checkPrompts(step)
    this.#found.add(await this.#unknown(sentTemplates(request), step), 'error')
    if (!isBroken(step)) await this.#prepare(step)
    await this.#checkScripts([...request.handlers, ...common.handlers], step)
    this.#foreseen.foresee({ names: new Set(request.captures.map(({ name }) => name)), hasComputed: false })
    this.#found.add(await this.#unknown(checkTemplates([...request.captures, ...request.assertions]), step), 'failed')
    const isFirst = step.loaded.file.sections[0] === step.section
    const advice = [
      ...requestAdvice(request),
      ...textAdvice(step.section, isFirst),
      ...allScripts(step).flatMap(scriptAdvice),
    ]
    this.#advise(advice, step)
    this.#warnOfHiddenCaptures(step, request)
    this.#warnOfTags(step, request)
    await foreseeResponse(step)
  }

  async #checkScripts(scripts: readonly ScriptNode[], step: RunStep): Promise<void> {
    for (const script of scripts) {
      try {
        this.#found.add(await this.#scripts.check(script, step), 'failed')
      } catch (error) {
        if (!(error instanceof HttpcliError)) throw error
        this.#found.add([error], 'error')
      }
    }
  }

  /** Nobody can be asked by a check, and perhaps not by the run that comes after it. */
  #checkPrompts(step: RunStep): void {
    try {
      const prompts = foreseePrompts(step)
      this.#found.add(
        prompts.map((prompt) => unansweredPrompt(prompt, step.variables.scope.source)),
        'error',
      )
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      this.#found.add([error], 'error')
    }
  }

  async #foreseeScripts(step: RunStep, { preRequestScripts }: Request): Promise<void> {
    const scripts = [...step.loaded.file.common.preRequestScripts, ...preRequestScripts]
    if (scripts.length === 0) return
    const set = namesSetIn(await scriptCode(scripts, step))
    this.#foreseen.foresee(set)
    this.#foreseen.foreseeForRequest(set.requestNames)
  }

  /** The variables of templates that have no value. */
  async #unknown(templates: readonly Template[], step: RunStep): Promise<readonly HttpcliError[]> {
    const errors: HttpcliError[] = []
    for (const part of templates.flatMap(({ parts }) => parts)) {
      if (part.type === 'text') continue
      try {
        await step.variables.load([{ parts: [part] }])
        step.variables.resolve(part.expression, part.span)
        this.#warnOfGuess(part.expression, part.span, step)
      } catch (error) {
        if (!(error instanceof HttpcliError)) throw error
        errors.push(error)
        // So that the rest of the request can be looked at, too.
        this.#foreseen.foreseeForRequest([rootOf(part.expression)])
      }
    }
    return errors
  }

  #warnOfGuess(expression: string, span: Span, { variables }: RunStep): void {
    const name = rootOf(expression)
    if (!this.#foreseen.isGuess(name) || variables.names(variables.scope).includes(name)) return
    const message = `the variable ${JSON.stringify(name)} is not known here, unless a script that computes names sets it`
    this.#found.warn(errorAt(variables.scope.source, span, { code: 'unknown-variable', message }))
  }

  /** Puts the request together as it would be sent, as far as its values are known. */
  async #prepare(step: RunStep): Promise<void> {
    const request = step.section.request as Request
    try {
      for await (const unsent of unsentRequests(step, false)) {
        for (const warning of unsent.warnings) this.#found.warn(warning)
        const isDraft = unsent.kind === 'draft'
        const type = isDraft ? fieldOf(unsent.headers, 'content-type') : unsent.message.headers.first('content-type')
        this.#advise(jsonAdvice(request, type ?? '', unsent.bodyText, foreseenPattern), step)
        const url = isDraft ? undefined : unsent.message.url
        if (isDraft) this.#touched.addHost(writtenHost(unsent.target, fieldOf(unsent.headers, 'host')))
        if (url !== undefined) this.#touched.addHost(url.host)
        if (url?.protocol === 'https:') await this.#services.httpClient.wireOptions(url)
      }
    } catch (error) {
      if (!(error instanceof HttpcliError)) throw error
      const fields = request.headers.map(({ name, value }) => [templateText(name), templateText(value)] as const)
      this.#touched.addHost(writtenHost(templateText(request.line.target), fieldOf(fields, 'host')))
      this.#found.add([error], 'error')
    }
  }

  #advise(advice: readonly Advice[], { variables }: RunStep): void {
    for (const { span, ...problem } of advice) this.#found.warn(errorAt(variables.scope.source, span, problem))
  }

  /** Unknown tags are comments, but one that reads nearly like another was hardly meant so. */
  #warnOfTags({ variables }: RunStep, { tags }: Request): void {
    for (const { name, value, span } of tags) {
      if (value === '' && needsValue.has(name)) {
        const message = `@${name} has no value, and no effect`
        const hint = `Write "# @${name} login".`
        this.#found.warn(errorAt(variables.scope.source, span, { code: 'empty-tag', message, hint }))
      }
      const [nearest] = tagNames.includes(name) ? [] : nearestNames(name, tagNames)
      if (nearest === undefined) continue
      const message = `the tag @${name} means nothing: @${nearest} does`
      this.#found.warn(errorAt(variables.scope.source, span, { code: 'unknown-tag', message }))
    }
  }

  #warnOfHiddenCaptures({ variables }: RunStep, { captures }: Request): void {
    const { environment, commandLine } = variables.shared.options
    for (const { name, span } of captures) {
      if (!environment.has(name) && commandLine?.has(name) !== true) continue
      const where = environment.has(name) ? 'the environment' : 'the command line'
      const message = `the captured value has no effect: ${where} has a variable ${JSON.stringify(name)}, which wins`
      this.#found.warn(errorAt(variables.scope.source, span, { code: 'hidden-capture', message }))
    }
  }
}

/** Whether the text of a step's section has errors: what it lacks because of them was reported already. */
function isBroken({ loaded: { file, problem }, section }: RunStep): boolean {
  if (problem === undefined) return false
  const next = file.sections[file.sections.indexOf(section) + 1]
  const [from, to] = [section, next].map((each) => (each?.separator ?? each?.parts[0])?.span.line)
  return problem.errors.some(
    ({ where }) => where !== undefined && where.line >= (from ?? 1) && where.line < (to ?? Number.POSITIVE_INFINITY),
  )
}

/** Tags that name something. */
const needsValue: ReadonlySet<string> = new Set(['name', 'tag', 'tags'])

function allScripts({ loaded, section }: RunStep): readonly ScriptNode[] {
  const { common } = loaded.file
  const { preRequestScripts, handlers } = section.request as Request
  return [...common.preRequestScripts, ...preRequestScripts, ...handlers, ...common.handlers]
}

/** The variable that an expression begins with. */
function rootOf(expression: string): string {
  return parseVariablePath(expression)?.root ?? expression
}
