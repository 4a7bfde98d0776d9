/**
 * One virtual user of a light load test: sends the requests of a script in order, as virtual-user.ts does.
 *
 * Rules: nothing is awaited, and only data that the file needs later is kept from a request. The exported script builds
 * each request itself, with the functions created here. In k6's engine, each function and each method takes half a
 * kilobyte of every virtual user, and the first regular expression 15 KB: there are few functions here, and what few
 * requests need is in light-extras.ts. k6 keeps the cookies of an iteration itself, unless a request has a Cookie
 * field.
 */
import { type JsonValue, plainOrigin } from '../../../http-file/index.ts'
import type { K6Modules, K6Response } from '../k6.ts'
import type { LoadPlan } from '../load-plan.ts'
import type { LoadTest } from '../load-test.ts'
import type { Check } from './light-checks.ts'
import type { LightExtras } from './light-extras.ts'
import type { LightContext, LightParts, LightSteps, PartMaker, SentRequest } from './light-parts.ts'
import type { LightCaptures, LightChecks, LightRequest } from './light-request.ts'
import { at, durationMsOf, isList, isUtf8, type LightAnswer, PlatformDecoder, reachedIn } from './light-response.ts'
import { empty, isPlain, type LightScopes, plainText } from './light-scopes.ts'
import type { RequestScripts } from './scripts/light-scripts.ts'

/** A request file whose requests are code. */
export interface LightPlan extends Pick<LoadPlan, 'file' | 'environment' | 'secrets' | 'security' | 'rows'> {
  /** Beginnings of URLs that are plain, as members of an object without a prototype. */
  readonly origins?: Record<string, unknown>
}

/** The functions that the exported script calls. */
export interface LightUser {
  /** Begins an iteration. */
  readonly begin: () => void
  /** The value of a variable as text. @throws Error */
  readonly v: (name: string) => string
  /** The value of a variable in JSON. @throws Error */
  readonly json: (name: string) => string
  /**
   * A URL as sent.
   * @param target the whole URL, or the value of the variable before `path`
   * @param path typed text is plain
   * @param host the Host field, for a target without a host
   * @throws Error
   */
  readonly address: (target: string, path?: string, shouldEncode?: boolean, host?: string) => string
  /** The value of a field as sent. @param isUnusual whether the typed text is not plain. @throws Error */
  readonly field: (value: string, isUnusual?: boolean) => string
  /** Sends a request, once for each element of the arrays in it. Counts an error if it is not sent or answered. */
  readonly send: (
    line: number,
    name: string,
    build: () => LightRequest,
    checks?: LightChecks,
    captures?: LightCaptures,
  ) => void
  readonly at: typeof at
  /** Keeps a captured value, if there is one. */
  readonly capture: (name: string, value: JsonValue | undefined) => void
  /** Decides an assertion that does not certainly pass, or a captured value that is not certain. */
  readonly decide: (response: K6Response, text: string) => JsonValue | undefined
  readonly more: () => MoreFunctions
  readonly extras: () => LightExtras
  /** @throws Error if the user has not set a value that the script does not contain; that ends the test */
  readonly setup: () => void
  readonly summary: LoadTest['summary']
}

/** The functions that fewer files need. */
export interface MoreFunctions {
  readonly define: (name: string, template: string) => void
  /** The same as `send` for a request with scripts. */
  readonly sendWithScripts: (
    line: number,
    name: string,
    build: () => LightRequest,
    scripts: RequestScripts,
    checks?: LightChecks,
    captures?: LightCaptures,
  ) => Promise<void>
  /** Fetches a token for a request, unless there is a valid one. @returns whether there is one */
  readonly acquire: (line: number, name: string, kind: 'access' | 'id', id: string) => Promise<boolean>
  /** Keeps the response for references to it by the name of its request. */
  readonly keep: (response: K6Response, name: string) => void
  /** The number of elements at that path; undefined if it is not a list. */
  readonly count: (response: K6Response, ...steps: readonly (string | number)[]) => number | undefined
  /** @param name in the spelling of Go */
  readonly header: (response: K6Response, name: string) => string | undefined
  /** The body; undefined if it is not in UTF-8. */
  readonly text: (response: K6Response) => string | undefined
  /** From the start to the last byte, including redirects, in milliseconds. */
  readonly duration: (response: K6Response) => number
}

const platformConsole = console

/** The entry point. @param parts the function that holds the other parts */
export function createLoadTest(k6: K6Modules, plan: LightPlan, parts: PartMaker): LightUser {
  const { http, errors, check } = k6
  const loaded: Partial<LightParts> = {}
  const scopes: LightScopes = {
    environment: { __proto__: null, ...plan.environment } as unknown as LightScopes['environment'],
    ...{ row: empty(), globals: empty(), inPlace: empty(), ofRequest: empty(), texts: empty() },
    origins: plan.origins ?? empty(),
  }
  const context: LightContext = {
    ...{ k6, security: plan.security, scopes, isBuilding: false, isPlain: false, values: undefined, steps: undefined },
    part: (wanted) => {
      const { [wanted]: known, scripts } = loaded
      if (known !== undefined) return known
      const make = (): LightParts[typeof wanted] => parts(wanted).create(context)
      const made = scripts === undefined ? make() : scripts.outside(make)
      loaded[wanted] = made
      return made
    },
    v: (variable) => {
      const known = scopes.texts[variable]
      if (known !== undefined) return known
      const text = plainText(scopes, variable)
      const found = text ?? part('values').text(variable)
      if (!isPlain(found, scopes.origins)) context.isPlain = false
      else if (text !== undefined) scopes.texts[variable] = text
      return found
    },
  }
  const { part } = context
  /** Of the request that is being sent. */
  let name = ''
  let line = 0
  let tags = { name }
  let url = ''
  let target = ''
  let sent: SentRequest | undefined
  let redirected: LightAnswer | undefined
  let failedCaptures: Record<string, boolean> | undefined
  /** Of the URL of the request that is being built. */
  let credentials: string | undefined
  let hostField: string | undefined
  const { origins } = scopes

  const answerOf = (response: K6Response): LightAnswer => redirected ?? { response, url, locations: [], earlierMs: 0 }

  const decide = (response: K6Response, text: string): JsonValue | undefined => {
    const wanted = parts('checks')[text.replaceAll('::', ': :')] as Check
    const isCapture = 'name' in wanted
    const { value, failure } = part('extras').check(wanted, answerOf(response), part('values'))
    if (failure === undefined) return isCapture ? value : true
    const shown = `${name} > ${isCapture ? 'capture ' : ''}${text}`.replaceAll('::', ': :')
    platformConsole.warn(`${plan.file}:${line}: ${shown}: ${failure}`)
    if (!isCapture) return false
    failedCaptures = { ...failedCaptures, [shown]: false }
    return undefined
  }

  const exchange = (round: number, build: () => LightRequest): K6Response => {
    credentials = undefined
    hostField = undefined
    redirected = undefined
    target = ''
    context.values?.beginRound(round)
    context.isBuilding = true
    context.isPlain = true
    const request = build()
    if (request.contents !== undefined) request.body = part('bodies').body(request)
    context.isBuilding = false
    context.values?.endRound()
    const { headers } = request
    headers.Accept ??= '*/*'
    headers['Accept-Encoding'] ??= 'gzip, deflate, br'
    if (hostField !== undefined) headers.Host = hostField
    if (credentials !== undefined) part('extras').addCredentials(headers, credentials)
    if (request.hasCookieJar === false) request.jar = new http.CookieJar()
    tags = { name }
    request.tags = tags
    url = request.url
    // Only these ask for it.
    if (context.steps !== undefined) sent = { request, target, round }
    if (request.hasCookieField) {
      redirected = part('extras').exchange(http, request)
      return redirected.response
    }
    const response = http.request(request.method ?? 'GET', url, request.body ?? null, request)
    const { status } = response
    if (status === 0) throw new Error(response.error)
    if (status < 300 || status > 399 || request.allowsRedirects === false) return response
    redirected = part('extras').exchange(http, request, response)
    return redirected.response
  }

  const checkAll = (response: K6Response, checks?: LightChecks, captures?: LightCaptures): void => {
    failedCaptures = undefined
    if (captures !== undefined) captures(response)
    if (failedCaptures !== undefined) check(null, failedCaptures, tags)
    if (checks !== undefined) check(response, checks, tags)
    // While the next request is on its way, a response would only take memory.
    reachedIn(undefined, [])
  }

  const fail = (error: unknown): void => {
    context.isBuilding = false
    context.values?.endRound()
    errors.add(1, { name })
    platformConsole.error(`${plan.file}:${line}: ${name}: ${(error as Error).message}`)
  }

  return {
    v: context.v,
    at,
    decide,
    json: (variable) => plainText(scopes, variable) ?? part('values').json(variable),
    field: (value, isUnusual = false) => {
      if (context.isPlain && !isUnusual) return value
      const dense = value.replaceAll(' ', '')
      const isTrimmed = value[0] !== ' ' && value[value.length - 1] !== ' '
      return isTrimmed && value !== '' && encodeURI(dense) === dense ? value : part('extras').field(value)
    },
    begin: () => {
      const { rows } = plan
      if (rows !== undefined) {
        const row = rows[(k6.exec?.scenario.iterationInTest ?? 0) % rows.length]
        scopes.row = { __proto__: null, ...row } as unknown as LightScopes['row']
      }
      scopes.inPlace = empty()
      scopes.texts = empty()
      context.values?.begin()
    },
    address: (beginning, path = '', shouldEncode = true, host) => {
      if (path !== '' && context.isPlain) {
        origins[beginning] ??= plainOrigin(`${beginning}/`)
        if (origins[beginning] !== undefined) {
          target = beginning + path
          return target
        }
      }
      target = beginning + path
      if (isPlain(target) && plainOrigin(target) !== undefined) return target
      const address = part('extras').address(target, shouldEncode, host)
      credentials = address.credentials
      if (host !== undefined) {
        target = address.target
        hostField = address.host
      }
      return address.url
    },
    capture: (variable, value) => {
      if (value === undefined) return
      scopes.globals[variable] = value
      scopes.texts = empty()
    },
    send: (place, label, build, checks, captures) => {
      line = place
      name = label
      for (let round = 0; round === 0 || round < (context.values?.rounds?.count ?? 1); round++) {
        try {
          checkAll(exchange(round, build), checks, captures)
        } catch (error) {
          fail(error)
        }
      }
    },
    extras: () => part('extras'),
    setup: () => part('extras').refuseMissing(plan),
    summary: (data) => part('whole').summary(k6, plan.file, data),
    more: () => {
      const steps: LightSteps = {
        ...{ exchange, answerOf, check: checkAll, fail, sent: () => sent as SentRequest },
        start: (place, label) => {
          line = place
          name = label
        },
        place: () => `${plan.file}:${line}`,
      }
      context.steps = steps
      return {
        define: (variable, template) => {
          scopes.inPlace[variable] = template
          scopes.texts = empty()
          if (context.values !== undefined) context.values.made[variable] = undefined
        },
        sendWithScripts: async (...given) => {
          try {
            await part('scripts').send(...given)
          } finally {
            // Variables of a request end with it.
            scopes.ofRequest = empty()
            scopes.texts = empty()
          }
        },
        acquire: async (place, label, kind, id) => {
          steps.start(place, label)
          try {
            await part('tokens').acquire(id, kind)
            return true
          } catch (error) {
            fail(error)
            return false
          }
        },
        keep: (response, request) => part('values').keep(request, answerOf(response), sent),
        count: (response, ...steps) => {
          const found = reachedIn(response, steps)
          return typeof found === 'object' && found !== null && isList(found) ? (found as []).length : undefined
        },
        header: ({ headers }, field) => {
          const value = headers[field]
          return value === undefined || value.includes(',') ? undefined : value
        },
        text: (response) => (isUtf8(response) ? new PlatformDecoder().decode(response.body as ArrayBuffer) : undefined),
        duration: (response) => Math.round(durationMsOf(answerOf(response)) * 1000) / 1000,
      }
    },
  }
}
