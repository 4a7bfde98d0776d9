/**
 * Evaluates the captures and assertions of a request on its response.
 *
 * Rules: captures first, in order, so that assertions and handlers can use their values; then every assertion,
 * regardless of earlier ones. A capture that finds nothing fails like an assertion; its variable is unchanged. A check
 * that takes too long, such as a backtracking regular expression, is ended and fails. Loaded with the first request
 * that has a check.
 */
import {
  type Assertion,
  type Capture,
  type JsonValue,
  parseTemplate,
  type Request,
  type Subject,
} from '../../http-file/index.ts'
import { HttpcliError } from '../../message/index.ts'
import { errorAt, type SourceText } from '../base/errors.ts'
import type { RequestIdentity, RunListener } from '../base/events.ts'
import { checkTemplates } from '../request/request-templates.ts'
import type { Variables } from '../variables/variables.ts'
import type { CheckedResponse } from './checked-response.ts'
import { type FoundValue, jsonOf } from './found-value.ts'
import { failureText, type Judgement, judge } from './judgement.ts'
import { type Lookups, loadLookups, ResponseContent } from './response-content.ts'
import { readSubject, type SubjectContext } from './subject-reader.ts'
import { guarded, TimeOverError } from './watchdog.ts'

export interface CheckOptions {
  readonly identity: RequestIdentity
  /** When the request of this iteration was built. */
  readonly variables: Variables
  readonly emit: RunListener
}

/** The time limit for one check: a body of the maximum size takes a tenth of it, or half on a busy machine. */
const CHECK_LIMIT_MS = 5000

/** @throws errors of the listener */
export async function checkResponse(
  { captures, assertions }: Pick<Request, 'captures' | 'assertions'>,
  response: CheckedResponse,
  { identity, variables, emit }: CheckOptions,
): Promise<void> {
  const kinds = new Set([...captures, ...assertions].flatMap(({ subject }) => pathKinds(subject)))
  const checks = new ResponseChecks(response, variables, await loadLookups(kinds))
  for (const capture of captures) {
    const found = await checks.found(capture)
    const value = found instanceof HttpcliError ? undefined : jsonOf(found)
    if (value !== undefined) {
      variables.globals.set(capture.name, value)
      await emit({ type: 'captured', request: identity, name: capture.name })
      continue
    }
    const error = found instanceof HttpcliError ? found : checks.nothingFound(capture, found)
    await emit({ type: 'test-failed', request: identity, kind: 'assertion', name: `capture ${capture.text}`, error })
  }
  for (const assertion of assertions) {
    const about = { request: identity, kind: 'assertion', name: assertion.text } as const
    const judgement = await checks.judged(assertion)
    if (judgement instanceof HttpcliError) await emit({ type: 'test-failed', ...about, error: judgement })
    else if (judgement.isMet) await emit({ type: 'test-passed', ...about })
    else {
      const { expected, actual } = judgement
      await emit({ type: 'test-failed', ...about, error: checks.failed(assertion, judgement), expected, actual })
    }
  }
}

function pathKinds({ kind, filters }: Subject): readonly Subject['kind'][] {
  const types = filters.map(({ type }) => type)
  const inFilters = (['jsonpath', 'xpath'] as const).filter((each) => types.includes(each))
  // Character references are decoded by the document parser.
  return [kind, ...inFilters, ...(types.includes('htmlUnescape') ? (['xpath'] as const) : [])]
}

class ResponseChecks {
  readonly #variables: Variables
  readonly #source: SourceText
  readonly #context: SubjectContext

  constructor(response: CheckedResponse, variables: Variables, lookups: Lookups) {
    const { content, headers } = response
    this.#variables = variables
    this.#source = variables.scope.source
    this.#context = {
      response,
      lookups,
      content: content && new ResponseContent(content, headers, lookups),
      render: (template) => variables.render(template),
      variable: (name) => variables.value(name),
      nowMs: variables.shared.options.sources.now(),
    }
  }

  /** The value of a capture, or the error of the lookup. */
  found(capture: Capture): Promise<FoundValue | HttpcliError> {
    return this.#bounded(capture, () => {
      const found = readSubject(capture.subject, this.#context)
      // A value that is too deep to be printed would be useless to later requests.
      JSON.stringify(jsonOf(found))
      return found
    })
  }

  judged(assertion: Assertion): Promise<Judgement | HttpcliError> {
    const { render } = this.#context
    const resolve = (...args: Parameters<Variables['resolveValue']>): JsonValue => this.#variables.resolveValue(...args)
    return this.#bounded(assertion, () => {
      return judge(assertion, readSubject(assertion.subject, this.#context), { render, resolve })
    })
  }

  failed(assertion: Assertion, judgement: Judgement): HttpcliError {
    return this.#error(assertion, failureText(judgement))
  }

  nothingFound(capture: Capture, found: FoundValue): HttpcliError {
    return this.#error(capture, found.type === 'nothing' ? found.reason : `${capture.subject.text} has no value`)
  }

  async #bounded<Result>(check: Assertion | Capture, action: () => Result): Promise<Result | HttpcliError> {
    try {
      await this.#load(check)
      return within(CHECK_LIMIT_MS, () => this.#inRound(action))
    } catch (error) {
      if (error instanceof TimeOverError) {
        return this.#error(check, `stopped after ${CHECK_LIMIT_MS / 1000} s, the time limit of a check`)
      }
      if (error instanceof SyntaxError) return this.#error(check, error.message)
      // The stack limit of the JavaScript engine: nested alternatives and repetitions in expressions use some stack for
      // each character.
      if (error instanceof RangeError) return this.#error(check, 'the value is too long, or too deep, to be checked')
      if (error instanceof HttpcliError) return error
      throw error
    }
  }

  async #load(check: Assertion | Capture): Promise<void> {
    const { kind, argument } = check.subject
    await this.#variables.load(checkTemplates([check]))
    if (kind !== 'variable' || argument === undefined) return
    const name = this.#inRound(() => this.#variables.render(argument))
    await this.#variables.load([parseTemplate(`{{${name}}}`)])
  }

  /** An array variable has the value of the element that was sent. */
  #inRound<Result>(action: () => Result): Result {
    const { rounds } = this.#variables
    rounds.revisit()
    try {
      return action()
    } finally {
      rounds.end()
    }
  }

  #error({ span }: Assertion | Capture, message: string): HttpcliError {
    return errorAt(this.#source, span, { code: 'assertion-failed', message })
  }
}

/** @throws TimeOverError */
function within<Result>(limitMs: number, action: () => Result): Result {
  let result: { readonly value: Result } | undefined
  guarded(() => {
    result = { value: action() }
  }, limitMs)
  return (result as unknown as { readonly value: Result }).value
}
