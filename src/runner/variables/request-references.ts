/**
 * Earlier requests and their responses, for later requests: `{{login.response.body.$.token}}`,
 * `{{login.response.headers.Location}}`, `{{login.request.body.*}}`.
 *
 * Rules: the name belongs to a request of the run; its last response counts. Only requests that some text refers to are
 * kept. The object that keeps a response looks up its values; a value is a single text, number or boolean, never a list
 * that causes iterations.
 */
import type { JsonValue } from '../../http-file/index.ts'
import { type Place, placed, RunError } from '../base/errors.ts'
import type { Resolved } from '../files/resolved-value.ts'
import type { SharedVariables } from './shared-variables.ts'

export interface RequestReference {
  readonly name: string
  readonly side: 'request' | 'response'
  readonly part: 'body' | 'headers'
  /** The rest of the reference: a path, `*`, or the name of a header. */
  readonly path: string
}

/** A request with its response. */
export interface AnsweredRequest {
  /** @throws HttpcliError without a place */
  value(reference: RequestReference): JsonValue
}

/** Undefined if the text is not a reference to a request. */
export function parseReference(expression: string): RequestReference | undefined {
  const match = /^([\w-]+)\.(request|response)\.(body|headers)(?:\.(.+))?$/s.exec(expression)
  if (match === null) return undefined
  const [, name = '', side, part, path = ''] = match
  return { name, side: side as RequestReference['side'], part: part as RequestReference['part'], path }
}

const referencePattern = /\{\{[ \t]*([\w-]+)\.(?:request|response)\.(?:body|headers)/g

/** The offset of the first reference to a request; undefined if there is none. */
export function referenceOffset(text: string): number | undefined {
  const offset = text.search(referencePattern)
  return offset === -1 ? undefined : offset
}

export class AnsweredRequests {
  /** Names of the run's requests. */
  readonly #names: Set<string> = new Set()
  readonly #referenced: Set<string> = new Set()
  readonly #foreseen: Set<string> = new Set()
  readonly #answered: Map<string, AnsweredRequest>
  /** The name of the request that is being built or sent. */
  #current = ''
  #mayReferToAny = false
  #isXmlForced = false

  /** @param answered the last answers by the names of their requests; `keep` adds to them */
  constructor(answered: Map<string, AnsweredRequest> = new Map()) {
    this.#answered = answered
  }

  /**
   * @param names of the run's requests
   * @param texts texts that may refer to them
   * @param hasTemplateFiles whether there are texts that are read only when they are sent
   */
  open(names: readonly string[], texts: readonly string[], hasTemplateFiles: boolean): void {
    for (const name of names) this.#names.add(name)
    for (const text of texts) {
      this.#isXmlForced ||= text.includes('.body.asXml.')
      for (const [, name = ''] of text.matchAll(referencePattern)) this.#referenced.add(name)
    }
    this.#mayReferToAny ||= hasTemplateFiles
  }

  /** Whether some path needs XML, regardless of the Content-Type. */
  get isXmlForced(): boolean {
    return this.#isXmlForced
  }

  get names(): readonly string[] {
    return [...this.#names]
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Whether the response to a request must be kept. */
  isReferenced(name: string): boolean {
    return name !== '' && (this.#referenced.has(name) || this.#mayReferToAny)
  }

  /** @param name of the request that comes next; empty if it has none */
  begin(name: string): void {
    this.#current = name
  }

  keep(name: string, answered: AnsweredRequest): void {
    this.#answered.set(name, answered)
  }

  /** Marks a request as answered although nothing is sent. */
  foresee(name: string): void {
    this.#foreseen.add(name)
  }

  isForeseen(name: string): boolean {
    return this.#foreseen.has(name)
  }

  /** @throws HttpcliError without a place: no response yet, or no value at that path */
  value(reference: RequestReference): JsonValue {
    const answered = this.#answered.get(reference.name)
    if (answered !== undefined) return answered.value(reference)
    if (reference.name === this.#current) {
      throw new RunError(
        'unknown-variable',
        `the request ${JSON.stringify(reference.name)} refers to its own ${reference.side}`,
        { hint: 'Move this below the request, after a line "###", or name an earlier request.' },
      )
    }
    throw new RunError('unknown-variable', `${JSON.stringify(reference.name)} was not answered before this request`, {
      hint: `Put it above this request, choose it too, or write "run #${reference.name}" above this request.`,
    })
  }
}

/** A value of another request or its response; undefined if the text is not such a reference. @throws HttpcliError */
export function answeredValue(
  { answers, options }: Pick<SharedVariables, 'answers' | 'options'>,
  expression: string,
  place: Place,
): Resolved | undefined {
  const reference = parseReference(expression)
  if (reference === undefined || !answers.has(reference.name)) return undefined
  if (options.foreseen !== undefined && answers.isForeseen(reference.name)) {
    return { value: options.foreseen.use(expression), isDynamicText: false }
  }
  try {
    return { value: answers.value(reference), isDynamicText: false, isForeign: true }
  } catch (error) {
    if (options.isLenient === true) return { value: '', isDynamicText: false }
    throw placed(error, place)
  }
}
