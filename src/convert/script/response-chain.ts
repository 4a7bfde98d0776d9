/**
 * Converts `pm.response.to.have.status(200)` and similar chains to assertions.
 *
 * Rules (Postman, "Test script examples"): `be.ok` and similar words are classes of status codes; `status` takes a code
 * or a reason, and only the code is known. The response time is not a property of a response in scripts: a limit on it
 * is an assertion of the request.
 */
import type { AnyNode } from 'acorn'
import { bodyText, bodyValue, type ScriptDialect } from './dialect.ts'
import { type Code, comparisonSigns, json, type Word } from './expect-chain.ts'
import { chainOf, pathOf, textOf } from './script-tree.ts'

/** Documents of HTML and XML are objects, too. */
const isJson = "typeof response.body !== 'string' && /json/.test(response.contentType.mimeType)"

const statusNames: Readonly<Record<string, string>> = {
  ok: 'response.status >= 200 && response.status < 300',
  success: 'response.status >= 200 && response.status < 300',
  redirection: 'response.status >= 300 && response.status < 400',
  clientError: 'response.status >= 400 && response.status < 500',
  serverError: 'response.status >= 500',
  error: 'response.status >= 400',
  info: 'response.status < 200',
  accepted: 'response.status === 202',
  badRequest: 'response.status === 400',
  unauthorized: 'response.status === 401',
  forbidden: 'response.status === 403',
  notFound: 'response.status === 404',
  rateLimited: 'response.status === 429',
  json: isJson,
  withBody: "response.body !== ''",
}

const reasons: Readonly<Record<string, number>> = {
  OK: 200,
  Created: 201,
  Accepted: 202,
  'No Content': 204,
  'Not Modified': 304,
  'Bad Request': 400,
  Unauthorized: 401,
  Forbidden: 403,
  'Not Found': 404,
  Conflict: 409,
  'Unprocessable Entity': 422,
  'Too Many Requests': 429,
  'Internal Server Error': 500,
}

/** @param words words of the chain after `pm.response.to` @returns undefined if there is no equivalent */
export function responseAssertion(words: readonly Word[]): string | undefined {
  const meant = words.filter(({ name }) => name !== 'not')
  const [verb, word, ...others] = meant[1]?.name === 'a' || meant[1]?.name === 'an' ? meant.toSpliced(1, 1) : meant
  if ((verb?.name !== 'have' && verb?.name !== 'be') || word === undefined || others.length > 0) return undefined
  const { name, args } = word
  const condition =
    args !== undefined ? calledCondition(name, args) : Object.hasOwn(statusNames, name) ? statusNames[name] : undefined
  if (condition === undefined) return undefined
  return `client.assert(${meant.length < words.length ? `!(${condition})` : condition})`
}

function calledCondition(name: string, [first, second]: readonly Code[]): string | undefined {
  if (name === 'status') {
    const reason = textOf(first?.node)
    if (reason === undefined) return `response.status === ${first?.text}`
    return Object.hasOwn(reasons, reason) ? `response.status === ${reasons[reason]}` : undefined
  }
  if (name === 'header') {
    const value = `response.headers.valueOf(${first?.text})`
    return second === undefined ? `${value} !== null` : `${value} === ${second.text}`
  }
  if (name === 'body') return first === undefined ? "response.body !== ''" : `${bodyText} === ${first.text}`
  if (name !== 'jsonBody') return undefined
  if (first === undefined) return `typeof ${bodyValue} !== 'string'`
  if (/^(?:Object|Array)Expression$/.test(first.node?.type ?? '')) return `${json(bodyValue)} === ${json(first.text)}`
  const member = `${bodyValue}${memberPath(first)}`
  return second === undefined
    ? `${member} !== undefined`
    : `JSON.stringify(${member}) === JSON.stringify(${second.text})`
}

/** Splits `'a.b[0]'` into the members that it names; other code is one name. */
function memberPath({ text, node }: Code): string {
  const path = textOf(node)
  if (path === undefined || !/^[\w.[\]$-]*$/.test(path)) return `?.[${text}]`
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  return names
    .map((name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `?.${name}` : `?.[${/^\d+$/.test(name) ? name : `'${name}'`}]`))
    .join('')
}

/** `expect(responseTime).to.be.below(200)` as `# @assert`; undefined for any other statement. */
export function timeAssertion(statement: AnyNode, dialect: ScriptDialect): string | undefined {
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'CallExpression') return undefined
  const { base, links } = chainOf(statement.expression)
  const call = links.findIndex(({ args }) => args !== undefined)
  const [value, ...others] = links[call]?.args ?? []
  const isExpected = pathOf({ base, links: links.slice(0, call) }) === dialect.expect && others.length === 0
  if (!isExpected || value === undefined || !isResponseTime(value, dialect)) return undefined
  const words = links.slice(call + 1, -1).map(({ name }) => name)
  const limit = links.at(-1)?.args?.[0]
  const word = /^to\.be(?:\.at)?\.(\w+)$/.exec(words.join('.'))?.[1] ?? ''
  const sign = comparisonSigns.get(word)
  if (sign === undefined || limit?.type !== 'Literal' || !/^\d+$/.test(limit.raw ?? '')) return undefined
  return `duration ${sign} ${limit.raw}ms`
}

function isResponseTime(value: AnyNode, { responseTime }: ScriptDialect): boolean {
  const isCall = value.type === 'CallExpression'
  const path = pathOf(chainOf(isCall ? value.callee : value))
  return path !== undefined && responseTime.includes(isCall ? `${path}()` : path)
}
