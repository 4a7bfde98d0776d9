/**
 * `pm.response.to.have.status(200)` and its like to assertions.
 *
 * Rules (Postman, "Test script examples"): `be.ok` and its like are classes of status codes; `status` takes a code or a
 * reason, of which only the code is known.
 */

import { bodyText } from './dialect.ts'
import type { ReadChain } from './expect-chain.ts'
import { argumentsAt } from './javascript-text.ts'

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
  json: "typeof response.body !== 'string'",
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

/** @param start behind `pm.response.to` @returns undefined where it has no equivalent */
export function responseAssertion(code: string, start: number): ReadChain | undefined {
  const match = /^\s*(\.\s*not\s*)?\.\s*(?:have|be)\s*(\.\s*not\s*)?\.\s*(?:an?\s*\.\s*)?(\w+)/.exec(code.slice(start))
  if (match === null) return undefined
  const name = match[3] as string
  const nameEnd = start + match[0].length
  const isCalled = code[nameEnd] === '('
  const { values, end } = isCalled ? argumentsAt(code, nameEnd) : { values: [], end: nameEnd }
  const condition = isCalled
    ? calledCondition(name, values)
    : Object.hasOwn(statusNames, name)
      ? statusNames[name]
      : undefined
  if (condition === undefined) return undefined
  const isNegated = match[1] !== undefined || match[2] !== undefined
  return { code: `client.assert(${isNegated ? `!(${condition})` : condition})`, end }
}

function calledCondition(name: string, [first = 'undefined', second]: readonly string[]): string | undefined {
  if (name === 'status') {
    const reason = /^['"`](.*)['"`]$/.exec(first)?.[1]
    if (reason === undefined) return `response.status === ${first}`
    return Object.hasOwn(reasons, reason) ? `response.status === ${reasons[reason]}` : undefined
  }
  if (name === 'header') {
    const value = `response.headers.valueOf(${first})`
    return second === undefined ? `${value} !== null` : `${value} === ${second}`
  }
  if (name === 'body') return first === 'undefined' ? "response.body !== ''" : `${bodyText} === ${first}`
  if (name === 'jsonBody') {
    if (first === 'undefined') return "typeof response.body !== 'string'"
    const member = `response.body${memberPath(first)}`
    return second === undefined ? `${member} !== undefined` : `JSON.stringify(${member}) === JSON.stringify(${second})`
  }
  return undefined
}

/** `'a.b[0]'` to the members that it names; other code is one name. */
function memberPath(code: string): string {
  const path = /^(['"`])([\w.[\]$-]*)\1$/.exec(code)?.[2]
  if (path === undefined) return `?.[${code}]`
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  return names
    .map((name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `?.${name}` : `?.[${/^\d+$/.test(name) ? name : `'${name}'`}]`))
    .join('')
}
