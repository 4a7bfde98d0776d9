/**
 * The expected value of an assertion, with its variables replaced.
 *
 * Rules: a value in quotes is a text and JSON is JSON. Words without quotes are read as JSON if they parse; if they
 * contain a variable the intended type is unknown, so each reading is accepted.
 */
import {
  bareValue,
  type ExpectedValue,
  isLiteral,
  type JsonValue,
  quantityOf,
  type Span,
  type SubjectKind,
  type Template,
} from '../../http-file/index.ts'
import { shownJson } from './found-value.ts'

export interface Expected {
  /** Any of them matches. */
  readonly readings: readonly JsonValue[]
  /** As text, without quotes. */
  readonly text: string
  readonly shown: string
}

/** How variables are evaluated. */
export interface ExpectedContext {
  readonly render: (template: Template) => string
  /** The value of an expression, with its type. */
  readonly resolve: (expression: string, span: Span) => JsonValue
}

/**
 * @param subject the subject whose units apply; undefined if a filter has turned it into a plain number
 * @throws HttpcliError of a variable; SyntaxError if it is not JSON
 */
export function expectedValue(
  { form, template }: ExpectedValue,
  subject: SubjectKind | undefined,
  context: ExpectedContext,
): Expected {
  const written = context.render(template)
  if (form === 'quoted') return { readings: [written], text: written, shown: shownJson(written) }
  if (form === 'json') {
    const json = parsedJson(written)
    return { readings: [json], text: written, shown: shownJson(json) }
  }
  if (form === 'loose' && /^[[{]/.test(written)) return looseJson(written)
  const quantity = subject === undefined ? undefined : quantityOf(written, subject)
  const value = quantity ?? bareValue(written)
  const shown = shownJson(value)
  const isPlain = isLiteral(template)
  if (form === 'loose' && isPlain) return { readings: [value, written], text: written, shown }
  if (isPlain) return { readings: [value], text: written, shown }
  const [only] = template.parts
  const typed =
    template.parts.length === 1 && only?.type === 'variable' ? context.resolve(only.expression, only.span) : value
  return { readings: [typed, value, written], text: written, shown: shownJson(typed) }
}

/** Text that begins like JSON, but may be plain text. */
function looseJson(written: string): Expected {
  try {
    const json = JSON.parse(written) as JsonValue
    return { readings: [json, written], text: written, shown: shownJson(json) }
  } catch {
    return { readings: [written], text: written, shown: shownJson(written) }
  }
}

function parsedJson(written: string): JsonValue {
  try {
    return JSON.parse(written) as JsonValue
  } catch (cause) {
    throw new SyntaxError(`${written} is not JSON once its variables are replaced`, { cause })
  }
}
