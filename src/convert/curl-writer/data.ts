/**
 * Converts the body of a request to curl's data options.
 *
 * Rules: a typed body is `--data-raw`, which changes nothing; a file is `--data-binary @path`. In a form with variables
 * curl escapes each pair. Multipart becomes `-F`. If the request has no media type, the one that curl adds is removed.
 * A missing body that `run` sends with length 0 is empty data: after `-X POST` curl would send no length, and would not
 * change the method in a redirect.
 */
import {
  type BodyFileNode,
  type BodyTextNode,
  encodeForm,
  parseTemplate,
  type Request,
  readGraphql,
  type Template,
  templateText,
} from '../../http-file/index.ts'
import { methodsWithBody } from '../draft/header-removal.ts'
import { multipartWords } from './multipart.ts'
import { hasTag, isGraphql, isNamed, type ReportLoss } from './request-parts.ts'
import { type ShellVariables, shellWord, unsafeValue, withUnsafeValues } from './shell-text.ts'

/** Option and value, one each. */
export function dataWords(request: Request, shell: ShellVariables, report: ReportLoss): readonly string[] {
  const [first] = request.body
  const type = contentType(request)
  const noType = type === '' && !isGraphql(request) ? ["-H 'Content-Type:'"] : []
  if (first === undefined) {
    return methodsWithBody.has(request.line.method ?? 'GET') ? [...noType, "--data-raw ''"] : []
  }
  if (/^multipart\/form-data/i.test(type)) return multipartWords(request.body, type, shell, report)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type) && !hasTag(request, 'no-auto-encoding')
  const file = request.body.find((part): part is BodyFileNode => part.kind === 'body-file')
  if (file !== undefined) return [...noType, ...fileWords(request, file, shell, report)]
  const text = request.body.map((part) => templateText((part as BodyTextNode).template)).join('\n')
  if (isGraphql(request)) return graphqlWords(text, type, shell)
  if (isForm) {
    const place = first.span
    return formWords(parseTemplate(text), shell, (message) => report(place, message))
  }
  const sent = /[/+]json\b/i.test(type) ? withQuotes(text) : text
  return [...noType, `--data-raw ${shellWord(sent, shell)}`]
}

function contentType(request: Request): string {
  return templateText(request.headers.find((header) => isNamed(header, 'content-type'))?.value ?? { parts: [] })
}

function fileWords(request: Request, file: BodyFileNode, shell: ShellVariables, report: ReportLoss): readonly string[] {
  if (request.body.length > 1) report(file.span, 'a body of several parts: only its first file is sent')
  if (file.substitutes) report(file.span, 'variables in the file')
  return [`--data-binary ${shellWord(`@${templateText(file.path)}`, shell)}`]
}

function graphqlWords(text: string, type: string, shell: ShellVariables): readonly string[] {
  const { query, variables, operationName } = readGraphql(withUnsafeValues(text, shell, /["\\\x00-\x1f]/))
  const name = operationName === undefined ? '' : `,"operationName":${JSON.stringify(operationName)}`
  const body = `{"query":${JSON.stringify(query)},"variables":${variables === '' ? '{}' : variables}${name}}`
  const header = type === '' ? ["-H 'Content-Type: application/json'"] : []
  return [...header, `--data-raw ${shellWord(body, shell)}`]
}

/** As in `run`: a dynamic text without quotes in JSON gets quotes. */
function withQuotes(text: string): string {
  let isInString = false
  let result = ''
  for (const part of parseTemplate(text).parts) {
    if (part.type === 'text') {
      for (const [token] of part.text.matchAll(/\\.|"/gs)) if (token === '"') isInString = !isInString
      result += part.text
    } else {
      const isText = /^\$(?!timestamp$|randomInt$|random\.(?:integer|float)\b)/.test(part.expression)
      const quote = isText && !isInString ? '"' : ''
      result += `${quote}{{${part.expression}}}${quote}`
    }
  }
  return result
}

/** While the form is escaped, unreserved characters that it does not contain stand in for a variable. */
function unusedMark(text: string): string {
  let mark = '..v'
  while (text.includes(mark)) mark += 'v'
  return mark
}

function formWords(template: Template, shell: ShellVariables, report: (message: string) => void): readonly string[] {
  const expressions: string[] = []
  const values = template.parts.map((part) =>
    part.type === 'text' ? part.text : (shell.values.get(part.expression) ?? ''),
  )
  const mark = unusedMark(values.join('\n'))
  const pieces = template.parts.map((part) => {
    if (part.type === 'text') return { text: part.text, isValue: false }
    const known = shell.values.get(part.expression)
    return { text: known ?? `${mark}${expressions.push(part.expression) - 1}..`, isValue: true }
  })
  const encoded = encodeForm(pieces)
  if (expressions.length === 0) return [`--data-raw ${shellWord(encoded, shell)}`]
  const marks = new RegExp(`${mark.replaceAll('.', '\\.')}(\\d+)\\.\\.`, 'g')
  const filled = (text: string): string => text.replace(marks, (_, index) => `{{${expressions[Number(index)]}}}`)
  // curl escapes only the value of a pair.
  const filledName = (text: string): string =>
    text.replace(marks, (_, index) => {
      const expression = expressions[Number(index)]!
      const value = unsafeValue(expression, shell, /[^\w\-.*]/)
      return value === undefined ? `{{${expression}}}` : encodeForm([{ text: value, isValue: true }])
    })
  return encoded.split('&').map((pair) => {
    if (!pair.includes(mark)) return `--data-raw ${shellWord(pair, shell)}`
    const equals = pair.indexOf('=')
    const value = decodedValue(pair.slice(equals + 1))
    if (value === undefined) {
      report(`the escaping of variables in ${filled(pair)}, which has bytes that are not UTF-8`)
      return `--data-raw ${shellWord(filled(pair), shell)}`
    }
    return `--data-urlencode ${shellWord(`${filledName(pair.slice(0, equals + 1)) || '='}${filled(value)}`, shell)}`
  })
}

/** Undefined for escaped bytes that are not UTF-8. */
function decodedValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
