/**
 * Checks as expressions of a light load test that are true if the check certainly passes: `r.status === 200`.
 *
 * Rules: such an expression is true only if src/runner/assertions would also let the assertion pass. All other cases
 * are decided there, including every check without such an expression. `r` is the response of k6, and the
 * functions are those of src/runner/load/light.
 */
import {
  type Assertion,
  bareValue,
  type Capture,
  type ExpectedValue,
  isLiteral,
  quantityOf,
  type Subject,
  type Template,
  templateText,
  type ValueTest,
} from '../../http-file/index.ts'
import { Code, quoted } from './code-text.ts'

/** Undefined for a check that is always decided by the runner. */
export function sureCheck(check: Assertion | Capture): Code | undefined {
  const value = subjectCode(check.subject)
  if (value === undefined) return undefined
  if ('name' in check) return isCount(check.subject) ? undefined : new Code(value)
  const { predicate, subject } = check
  if (predicate.isNegated) return undefined
  // An empty body counts as missing.
  if (predicate.type === 'exists') return subject.kind === 'body' ? undefined : new Code(`${value} !== undefined`)
  if (predicate.type === 'is') {
    const test = subject.kind === 'jsonpath' && !isCount(subject) ? tests[predicate.test] : undefined
    return test && new Code(test(value))
  }
  if (predicate.type === 'matches' || predicate.type === 'in') return undefined
  const expected = literal(predicate.value, subject)
  const comparison = expected && comparisonCode(predicate.type, value, expected, subject)
  return comparison === undefined ? undefined : new Code(comparison)
}

function isCount({ filters: [filter] }: Subject): boolean {
  return filter?.type === 'count'
}

/** Whether the body is read. */
export function readsBody({ subject: { kind } }: Assertion | Capture): boolean {
  return kind === 'body' || kind === 'jsonpath' || kind === 'size'
}

function subjectCode(subject: Subject): string | undefined {
  const { kind, filters, selection, attribute } = subject
  const argument = subject.argument === undefined ? '' : plainText(subject.argument)
  if (argument === undefined || selection !== undefined || attribute !== undefined) return undefined
  if (filters.length > 1 || (filters.length === 1 && !(isCount(subject) && kind === 'jsonpath'))) return undefined
  if (kind === 'status') return 'r.status'
  if (kind === 'duration') return 'duration(r)'
  if (kind === 'body') return 'text(r)'
  if (kind === 'header')
    return /^[A-Za-z\d-]+$/.test(argument) ? `header(r, ${quoted(canonical(argument))})` : undefined
  if (kind !== 'jsonpath' || !/^\$(?:\.[A-Za-z_]\w*|\[\d{1,9}\])*$/.test(argument)) return undefined
  const [, ...names] = argument.split(/[.[\]]+/)
  // The runtime does not ask whether a member is inherited.
  if (names.some((name) => name in [])) return undefined
  const steps = names.filter((name) => name !== '').map((name) => (/^\d/.test(name) ? `${Number(name)}` : quoted(name)))
  return `${isCount(subject) ? 'count' : 'at'}(${['r', ...steps].join(', ')})`
}

function plainText(template: Template): string | undefined {
  return isLiteral(template) ? templateText(template) : undefined
}

/** The name of a field in the spelling of Go. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}

const tests: Partial<Record<ValueTest, (value: string) => string>> = {
  string: (value) => `typeof ${value} === 'string'`,
  number: (value) => `typeof ${value} === 'number'`,
  boolean: (value) => `typeof ${value} === 'boolean'`,
  integer: (value) => `Number.isInteger(${value})`,
  array: (value) => `${value.replace(/^at/, 'count')} !== undefined`,
  true: (value) => `${value} === true`,
  false: (value) => `${value} === false`,
}

interface Literal {
  /** The literal, with its type. */
  readonly value: string | number | boolean
  readonly text: string
}

function literal({ form, template }: ExpectedValue, { kind, filters }: Subject): Literal | undefined {
  const text = plainText(template)
  if (text === undefined || form === 'json') return undefined
  if (form === 'quoted') return { value: text, text }
  const value = (filters.length === 0 ? quantityOf(text, kind) : undefined) ?? bareValue(text)
  return typeof value === 'object' ? undefined : { value: value as Literal['value'], text }
}

const operators: Readonly<Record<string, string>> = { less: '<', 'at-most': '<=', more: '>', 'at-least': '>=' }

function comparisonCode(type: string, value: string, expected: Literal, { kind }: Subject): string | undefined {
  const isText = kind === 'header' || kind === 'body'
  if (type === 'equals') return `${value} === ${code(isText ? expected.text : expected.value)}`
  if (type === 'contains') return isText ? `${value}?.includes(${quoted(expected.text)}) === true` : undefined
  const operator = operators[type]
  if (operator === undefined || isText || typeof expected.value !== 'number') return undefined
  // In JavaScript, undefined is never less or greater than a number, but a text might be.
  return kind === 'jsonpath' && !value.startsWith('count(')
    ? `typeof ${value} === 'number' && ${value} ${operator} ${expected.value}`
    : `${value} ${operator} ${expected.value}`
}

function code(value: Literal['value']): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}
