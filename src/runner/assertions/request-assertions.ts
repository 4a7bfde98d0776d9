/**
 * The captures and assertions of one request, and which parts of the response they need.
 *
 * Rules: a response without checks costs nothing: the code is loaded with the first check. The certificate is read
 * while the connection is open.
 */
import type { Request, Subject } from '../../http-file/index.ts'
import type { Exchange } from '../../wire/index.ts'
import { InvalidFileError } from '../base/errors.ts'
import type { RequestIdentity, RunListener, RunResponse } from '../base/events.ts'
import type { RecordedBody } from '../exchange/recorded-body.ts'
import type { LoadedHttpFile } from '../plan/request-file.ts'
import type { PreparedRequest } from '../request/request-builder.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { Variables } from '../variables/variables.ts'

/** How a response was reached. */
export interface Arrival {
  /** The URLs that redirects led to, in order. */
  readonly locations: readonly string[]
  /** From the start to the head of the response. */
  readonly headMs: number
}

/** The properties of a body that has been read. */
export type ReadBody = Pick<RecordedBody, 'content' | 'receivedBytes'>

/** Subjects that need the content. */
const contentKinds: ReadonlySet<Subject['kind']> = new Set(['body', 'jsonpath', 'xpath'])
/** Subjects that are known when the last byte has arrived. */
const bodyKinds: ReadonlySet<Subject['kind']> = new Set([...contentKinds, 'size', 'duration'])

/** The request's identity and the event sink. */
export interface CheckedRequest {
  readonly request: RequestIdentity
  readonly prepared: Pick<PreparedRequest, 'bodyText'>
  /** Called when the head of the response has arrived. */
  readonly arrival: () => Arrival
  readonly emit: RunListener
}

/** Called when the body has been read. */
type BodyCheck = (response: RunResponse, body: ReadBody | undefined) => Promise<void>

export class RequestAssertions {
  readonly #request: Request
  readonly #variables: Variables

  constructor({ request, variables }: RequestContext) {
    this.#request = request
    this.#variables = variables
  }

  get needsContent(): boolean {
    return this.#isReferenced || this.#ask(contentKinds)
  }

  /** Whether the body must be read to its end. */
  get needsBody(): boolean {
    return this.#isReferenced || this.#ask(bodyKinds)
  }

  /** Call this when the head of the response has arrived; undefined if the request has no checks. */
  begin(
    exchange: Omit<Exchange, 'response'>,
    { request: identity, prepared, arrival, emit }: CheckedRequest,
  ): BodyCheck | undefined {
    const { assertions, captures, name } = this.#request
    if (assertions.length + captures.length === 0 && !this.#isReferenced) return undefined
    const { remote, request, statistics } = exchange
    const certificate = 'certificate' in remote ? remote.certificate?.() : undefined
    const { locations, headMs } = arrival()
    return async ({ version, status, reason, headers }, body) => {
      const { totalMs, firstByteMs } = await statistics
      const content = body === undefined ? new Uint8Array(0) : await body.content()
      const response = {
        ...{ version, status, reason, headers, remote, certificate, locations },
        url: (request.url as URL).href,
        durationMs: headMs + (totalMs - firstByteMs),
        sizeBytes: body?.receivedBytes ?? 0,
        content,
      }
      if (this.#isReferenced) {
        const { answeredRequest } = await import('./answered-request.ts')
        const sent = { headers: request.headers, text: prepared.bodyText }
        const { answers } = this.#variables.shared
        answers.keep(name, await answeredRequest(sent, response, answers.isXmlForced))
      }
      if (assertions.length + captures.length === 0) return
      const { checkResponse } = await import('./response-checks.ts')
      await checkResponse(this.#request, response, { identity, variables: this.#variables, emit })
    }
  }

  /** Whether later requests may refer to the answer of this one. */
  get #isReferenced(): boolean {
    return this.#variables.shared.answers.isReferenced(this.#request.name)
  }

  #ask(kinds: ReadonlySet<Subject['kind']>): boolean {
    const { assertions, captures } = this.#request
    return [...assertions, ...captures].some(({ subject }) => kinds.has(subject.kind))
  }
}

/** Checks paths before anything is sent, with libraries that only files with paths need. @throws InvalidFileError */
export async function checkAssertionPaths(files: readonly LoadedHttpFile[]): Promise<void> {
  for (const { file, source } of files) {
    const checks = file.sections.flatMap(({ request }) => [
      ...(request?.assertions ?? []),
      ...(request?.captures ?? []),
    ])
    const paths = checks.filter(({ subject: { kind } }) => kind === 'jsonpath' || kind === 'xpath')
    if (paths.length === 0) continue
    const { wrongPaths } = await import('./path-syntax.ts')
    const errors = await wrongPaths(paths, source.text)
    if (errors.length > 0) throw new InvalidFileError('invalid-http-file', source, errors)
  }
}
