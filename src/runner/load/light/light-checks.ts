/**
 * A capture or an assertion of a light load test, evaluated synchronously and otherwise as in response-checks.ts.
 *
 * Rules: the exporter has parsed the checks, so the runtime contains no parser for them. Paths of names and indexes are
 * evaluated here; all other paths, and text filters (text-filters.ts), by the full runtime.
 */
import type { Assertion, Capture, JsonValue, Template } from '../../../http-file/index.ts'
import type { CheckedResponse } from '../../assertions/checked-response.ts'
import { type FoundValue, jsonOf } from '../../assertions/found-value.ts'
import { valueAtSteps } from '../../assertions/json-lookup.ts'
import { failureText, judge } from '../../assertions/judgement.ts'
import { type Lookups, ResponseContent } from '../../assertions/response-content.ts'
import { readSubject, type SubjectContext } from '../../assertions/subject-reader.ts'
import { responseFields } from '../platform/k6-fields.ts'
import { durationMsOf, type LightAnswer } from './light-response.ts'
import type { LightValues } from './light-values.ts'
import { wholeRuntime } from './whole-services.ts'

export type Check = Assertion | Capture

/** The check has passed if `failure` is undefined. */
export interface Checked {
  readonly failure: string | undefined
  /** The value of a capture. */
  readonly value?: JsonValue
}

const simplePath = /^\$(?:\.[A-Za-z_]\w*|\[\d{1,9}\])*$/

function valueAtPath(json: JsonValue, path: string): FoundValue {
  if (!simplePath.test(path)) return wholeRuntime().valueAtPath(json, path)
  const [, ...names] = path.split(/[.[\]]+/)
  const steps = names.filter((name) => name !== '').map((name) => (/^\d/.test(name) ? Number(name) : name))
  return valueAtSteps(json, path, steps)
}

export const lookups = { json: { valueAtPath }, documents: undefined } as unknown as Lookups

export function checked(check: Check, answer: LightAnswer, values: LightValues): Checked {
  values.revisit()
  try {
    const context = contextOf(answer, values)
    const found = readSubject(check.subject, context)
    if ('name' in check) {
      const value = jsonOf(found)
      if (value !== undefined) return { value, failure: undefined }
      return { failure: found.type === 'nothing' ? found.reason : `${check.subject.text} has no value` }
    }
    const { render } = context
    const judgement = judge(check, found, { render, resolve: (expression) => values.value(expression) })
    return { failure: judgement.isMet ? undefined : failureText(judgement) }
  } catch (error) {
    return { failure: (error as Error).message }
  } finally {
    values.endRound()
  }
}

function contextOf(answer: LightAnswer, values: LightValues): SubjectContext {
  const response = responseOf(answer)
  const { content, headers } = response
  return {
    ...{ response, lookups, nowMs: values.now() },
    content: content && new ResponseContent(content, headers, lookups),
    render: (template: Template) =>
      template.parts.map((part) => (part.type === 'text' ? part.text : values.text(part.expression))).join(''),
    variable: (name) => (values.has(name) ? values.value(name) : undefined),
  }
}

function responseOf(answer: LightAnswer): CheckedResponse {
  const { response, url, locations } = answer
  const headers = new Fields(responseFields(response))
  const content = new Uint8Array(response.body ?? new ArrayBuffer(0))
  const length = Number(headers.first('content-length') ?? Number.NaN)
  return {
    version: response.proto === 'HTTP/2.0' ? 'HTTP/2' : response.proto,
    status: response.status,
    reason: response.status_text.replace(/^\d+ ?/, ''),
    headers: headers as unknown as CheckedResponse['headers'],
    remote: { address: response.remote_ip, port: response.remote_port } as CheckedResponse['remote'],
    sizeBytes: headers.first('content-encoding') !== undefined && Number.isFinite(length) ? length : content.length,
    ...{ url, locations, durationMs: durationMsOf(answer), content, certificate: undefined },
  }
}

/** The part of HeaderList that checks use. */
export class Fields {
  readonly #fields: readonly (readonly [name: string, value: string])[]

  constructor(fields: readonly (readonly [name: string, value: string])[]) {
    this.#fields = fields
  }

  first(name: string): string | undefined {
    return this.all(name)[0]
  }

  all(name: string): readonly string[] {
    const wanted = name.toLowerCase()
    return this.#fields.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value)
  }

  [Symbol.iterator](): Iterator<readonly [name: string, value: string]> {
    return this.#fields[Symbol.iterator]()
  }
}
