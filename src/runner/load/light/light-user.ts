/**
 * One virtual user of a light load test: sends the requests of a file in order, as virtual-user.ts does.
 *
 * Rules: nothing is awaited, and only data that the file needs later is kept from a request. A section is created when
 * its turn comes, because an object costs half a kilobyte in k6's engine. For the same reason loops use an index:
 * iterators create objects.
 */
import type { K6Modules } from '../k6.ts'
import type { LoadHeader, LoadPlan, LoadSection } from '../load-plan.ts'
import { checkName } from '../platform/k6-fields.ts'
import { LightClient, type LightRequest } from './light-client.ts'
import { extras } from './light-parts.ts'
import { LightResponse } from './light-response.ts'
import { LightValues } from './light-values.ts'

/** Methods that announce a length of 0 if they have no body (RFC 9110 section 8.6). */
const bodyMethods = ',POST,PUT,PATCH,'
/** The length of the name. */
const AUTHORIZATION = 13
const none: readonly never[] = []
const platformConsole = console

export class LightUser {
  readonly #k6: K6Modules
  readonly #plan: LoadPlan
  readonly #client: LightClient
  readonly #values: LightValues

  constructor(k6: K6Modules, plan: LoadPlan) {
    this.#k6 = k6
    this.#plan = plan
    this.#client = new LightClient(k6.http, plan.userAgent)
    this.#values = new LightValues(plan.environment)
  }

  /** Sends all requests once. */
  iterate(): void {
    const { rows, sections } = this.#plan
    this.#values.begin(rows?.[(this.#k6.exec?.scenario.iterationInTest ?? 0) % rows.length])
    this.#client.forgetCookies()
    for (const section of sections()) {
      const { variables } = section
      if (variables !== undefined) {
        for (const name of Object.keys(variables)) this.#values.define(name, variables[name] as string)
      }
      if (section.url !== undefined) this.#request(section, section.url)
    }
  }

  #request(section: LoadSection, url: string): void {
    const name = section.name ?? `${section.method ?? 'GET'} ${url}`
    const rounds = this.#values.beginRequest()
    for (let round = 0; round < rounds.count; round++) {
      try {
        rounds.begin(round, Date.now())
        let request: LightRequest
        try {
          request = this.#prepared(section, url, name)
        } finally {
          rounds.end()
        }
        const answer = this.#client.send(request)
        if (section.captures !== undefined || section.asserts !== undefined) {
          this.#check(section, name, new LightResponse(answer))
        }
      } catch (error) {
        this.#k6.errors.add(1, { name })
        platformConsole.error(`${this.#plan.file}:${section.line}: ${name}: ${(error as Error).message}`)
      }
    }
  }

  #prepared(section: LoadSection, target: string, name: string): LightRequest {
    const values = this.#values
    const { method = 'GET', tags = none, headers = none, body } = section
    const rendered: string[] = []
    for (let index = 0; index < headers.length; index++) {
      const header = headers[index] as LoadHeader
      const field = header[0]
      const template = header[1]
      const isBasic = field.length === AUTHORIZATION && /^basic/i.test(template) && /^authorization$/i.test(field)
      rendered.push(field, isBasic ? extras().authorization(template, values) : values.render(template))
    }
    const part = body?.[0]
    let content: LightRequest['body'] = null
    if (part === undefined) content = bodyMethods.includes(`,${method},`) ? new ArrayBuffer(0) : null
    else if (typeof part !== 'string') content = this.#plan.files?.[part.file] as ArrayBuffer
    else if (section.form === 'json') content = values.renderJson(part)
    else content = section.form === 'urlencoded' ? extras().form(part, values) : values.render(part)
    return {
      ...{ method, name, target: values.render(target), fields: rendered, body: content },
      needsBody: section.needsBody === true,
      shouldFollowRedirects: !tags.includes('no-redirect'),
      hasCookieJar: !tags.includes('no-cookie-jar'),
      shouldEncode: !tags.includes('no-auto-encoding'),
      timeoutMs: section.timeoutMs,
    }
  }

  /** Evaluates the captures first. */
  #check({ captures = none, asserts = none, line }: LoadSection, name: string, response: LightResponse): void {
    const { surely = {} } = this.#plan
    let results: Record<string, boolean> = {}
    let count = 0
    for (let index = 0; index < captures.length + asserts.length; index++) {
      const isCapture = index < captures.length
      const text = (isCapture ? captures[index] : asserts[index - captures.length]) as string
      const sure = surely[text]?.(response)
      let failure: string | undefined
      if (isCapture) {
        const variable = text.slice(0, text.indexOf('=')).trim()
        if (sure !== undefined) this.#values.globals.set(variable, sure as string)
        else failure = this.#decided(text, response, variable)
        if (failure === undefined) continue
      } else if (sure !== true) failure = this.#decided(text, response)
      const key = checkName(name, isCapture ? `capture ${text}` : text)
      // Two checks with the same text count twice.
      if (Object.hasOwn(results, key)) {
        this.#k6.check(null, results, { name })
        results = {}
        count = 0
      }
      results[key] = failure === undefined
      count++
      if (failure !== undefined) platformConsole.warn(`${this.#plan.file}:${line}: ${key}: ${failure}`)
    }
    if (count > 0) this.#k6.check(null, results, { name })
  }

  /** @returns why it failed */
  #decided(text: string, { answer }: LightResponse, variable?: string): string | undefined {
    const { checks } = this.#plan
    const check = checks?.()[text]
    if (check === undefined) return 'this check is not one of the request file: convert the file again'
    const { failure, value } = extras().check(check, answer, this.#values)
    if (variable !== undefined && value !== undefined) this.#values.globals.set(variable, value)
    return failure
  }
}
