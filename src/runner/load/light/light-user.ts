/**
 * One virtual user of a light load test: sends the requests of a script in order, as virtual-user.ts does.
 *
 * Rules: nothing is awaited, and only data that the file needs later is kept from a request. The exported script builds
 * each request itself, with the functions that are created here. Functions and iterators cost half a kilobyte in k6's
 * engine, so there are few functions, and loops use an index.
 */
import { escapedPartName, type JsonValue } from '../../../http-file/index.ts'
import type { K6Modules } from '../k6.ts'
import type { LoadPlan } from '../load-plan.ts'
import { checkName } from '../platform/k6-fields.ts'
import type { Check } from './light-checks.ts'
import { type LightRequest, plainAddress, sent } from './light-client.ts'
import { multipartBody, partValue } from './light-multipart.ts'
import { extras, wholeRuntime } from './light-parts.ts'
import { isSurelyJson, type LightAnswer, LightResponse } from './light-response.ts'
import type { LightScripts, RequestScripts } from './light-scripts.ts'
import { LightValues } from './light-values.ts'

/** Whether each check passes, by its name in reports. */
type Results = Record<string, boolean>

/** A request file whose requests are code. */
export interface LightPlan extends Pick<LoadPlan, 'file' | 'environment' | 'secrets' | 'rows'> {
  /** The captures and assertions as parsed by the exporter, by the text in reports. */
  readonly checks: () => Readonly<Record<string, Check>>
}

/** Evaluates captures, and returns whether each assertion certainly passes. */
type LightChecks = (response: LightResponse) => Results | undefined

/** The functions that the exported script calls. */
export interface LightUser {
  /** Begins an iteration. */
  readonly begin: () => void
  /** The value of a variable as text. @throws Error */
  readonly v: (name: string) => string
  /** The value of a variable in JSON. @throws Error */
  readonly json: (name: string) => string
  /** A URL as sent. @throws Error */
  readonly address: (target: string, shouldEncode?: boolean) => string
  /** The value of a field as sent. @throws Error */
  readonly field: (value: string) => string
  readonly basic: (template: string) => string
  readonly form: (template: string) => string
  /** The variables of a GraphQL body as sent. @throws Error unless they are JSON */
  readonly graphqlVariables: (json: string) => string
  /** A multipart body as sent. @throws Error */
  readonly multipart: typeof multipartBody
  /** The value of a variable in the quotes of a part's name. @throws Error */
  readonly partName: (name: string) => string
  /** The value of a variable in another header of a part. @throws Error */
  readonly partValue: (name: string) => string
  readonly define: (name: string, template: string) => void
  /** Sends a request, once for each element of the arrays in it. Counts an error if it is not sent or answered. */
  readonly send: (line: number, name: string, build: () => LightRequest, checks?: LightChecks) => void
  /** The same for a request with scripts. */
  readonly sendWithScripts: (
    line: number,
    name: string,
    build: () => LightRequest,
    scripts: RequestScripts,
    checks?: LightChecks,
  ) => Promise<void>
  /** @param value undefined if it is not certain */
  readonly capture: (response: LightResponse, text: string, value: JsonValue | undefined) => void
}

/** The steps of a request, for requests with scripts. */
export interface LightSteps {
  /** Begins a request. */
  readonly start: (line: number, name: string) => void
  /** @throws Error without a response */
  readonly exchange: (round: number, build: () => LightRequest) => LightAnswer
  readonly check: (answer: LightAnswer, checks: LightChecks) => void
  /** Counts an error of the request. */
  readonly fail: (error: unknown) => void
  readonly warn: (shown: string, failure: string) => void
}

export type ScriptMaker = (values: LightValues, steps: LightSteps) => LightScripts

const plainValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/
const platformConsole = console

export function createLightUser(k6: K6Modules, plan: LightPlan, scriptsOf: ScriptMaker): LightUser {
  const { http, errors, exec } = k6
  const values = new LightValues(plan.environment)
  /** The name of the request that is being sent. */
  let name = ''
  let line = 0
  let tags = { name }
  let failedCaptures: Results | undefined
  /** The credentials in the URL of the request that is being built. */
  let credentials: string | undefined
  let scripts: LightScripts | undefined

  const v = (variable: string): string => values.texts[variable] ?? values.text(variable)

  const warn = (shown: string, failure: string): void => {
    platformConsole.warn(`${plan.file}:${line}: ${shown}: ${failure}`)
  }

  /** Decides a check that does not certainly pass. @returns whether it passes */
  const decide = (text: string, answer: LightAnswer, variable?: string): boolean => {
    const { value, failure } = extras().check(plan.checks()[text.replaceAll('::', ': :')] as Check, answer, values)
    if (variable !== undefined && value !== undefined) values.set(variable, value)
    if (failure === undefined) return true
    const shown = checkName(name, variable === undefined ? text : `capture ${text}`)
    warn(shown, failure)
    if (variable !== undefined) failedCaptures = { ...failedCaptures, [shown]: false }
    return false
  }

  const steps: LightSteps = {
    warn,
    start: (place, label) => {
      line = place
      name = label
    },
    exchange: (round, build) => {
      credentials = undefined
      values.beginRound(round)
      const request = build()
      values.endRound()
      if (credentials !== undefined) addCredentials(request.headers, credentials)
      tags = { name }
      request.tags = tags
      return sent(http, request)
    },
    check: (answer, checks) => {
      failedCaptures = undefined
      const results = checks(new LightResponse(answer)) ?? {}
      const names = Object.keys(results)
      for (let index = 0; index < names.length; index++) {
        const shown = names[index] as string
        if (results[shown] !== true) results[shown] = decide(shown.slice(checkName(name, '').length), answer)
      }
      if (failedCaptures !== undefined) k6.check(null, failedCaptures, tags)
      if (names.length > 0) k6.check(null, results, tags)
    },
    fail: (error) => {
      values.endRound()
      errors.add(1, { name })
      platformConsole.error(`${plan.file}:${line}: ${name}: ${(error as Error).message}`)
    },
  }

  return {
    v,
    json: (variable) => values.json(variable),
    basic: (template) => extras().authorization(template, v),
    form: (template) => extras().form(template, v),
    multipart: multipartBody,
    partName: (variable) => escapedPartName(v(variable)),
    partValue: (variable) => partValue(v(variable)),
    graphqlVariables: (json) => {
      const trimmed = json.trim()
      if (!isSurelyJson(trimmed)) wholeRuntime().checkVariables(trimmed)
      return trimmed
    },
    define: (variable, template) => values.define(variable, template),
    field: (value) => (plainValue.test(value) ? value : wholeRuntime().fieldValue('header', value)),
    begin: () => values.begin(plan.rows?.[(exec?.scenario.iterationInTest ?? 0) % plan.rows.length]),
    address: (target, shouldEncode = true) => {
      const plain = plainAddress(target)
      if (plain !== undefined) return plain
      const address = wholeRuntime().address(target, shouldEncode)
      credentials = address.credentials
      return address.url
    },
    capture: ({ answer }, text, value) => {
      const variable = text.slice(0, text.indexOf('=')).trim()
      if (value === undefined) decide(text, answer, variable)
      else values.set(variable, value)
    },
    send: (place, label, build, checks) => {
      steps.start(place, label)
      for (let round = 0; round === 0 || round < (values.rounds?.count ?? 1); round++) {
        try {
          const answer = steps.exchange(round, build)
          if (checks !== undefined) steps.check(answer, checks)
        } catch (error) {
          steps.fail(error)
        }
      }
    },
    sendWithScripts: (place, label, build, requestScripts, checks) => {
      scripts ??= scriptsOf(values, steps)
      return scripts.send(place, label, build, requestScripts, checks)
    },
  }
}

function addCredentials(headers: Record<string, string>, credentials: string): void {
  if (!Object.keys(headers).some((field) => /^authorization$/i.test(field))) headers.Authorization = credentials
}
