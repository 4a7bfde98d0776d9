/**
 * Checks the parts of a request's head that a program passes, before anything is created from them.
 *
 * Rules: a wrong value is an error of the program (HttpBuildError) that names the value. RFC 9112 sections 2.3 and 3.2,
 * RFC 9110 section 9.1.
 */
import type { HeaderList } from '../head/headers.ts'
import { typeName } from '../syntax/checked-input.ts'
import { visible } from '../syntax/excerpt.ts'
import { isToken } from '../syntax/grammar.ts'
import { inputError } from '../syntax/input-error.ts'
import type { HttpVersion } from '../syntax/start-line.ts'
import { escapeIllegal, hostProblem, parseTarget, type Target, type TargetTolerance } from '../syntax/target.ts'

/** @throws HttpBuildError `VERSION`. */
export function checkVersion(version: string): HttpVersion {
  if (version === 'HTTP/1.1' || version === 'HTTP/1.0') return version
  throw inputError('VERSION', `the version is "${visible(version)}", expected HTTP/1.1 or HTTP/1.0`, version, 0)
}

export function checkMethod(method: string): string {
  if (typeof method !== 'string') throw inputError('METHOD', `the method is ${typeName(method)}`, '', 0)
  if (isToken(method)) return method
  throw inputError('METHOD', `"${visible(method)}" is not a method: expected a token such as GET`, method, 0)
}

export function readTarget(url: string | URL, method: string, tolerance: TargetTolerance = 'none'): Target {
  if (typeof url !== 'string' && !(url instanceof URL)) {
    throw inputError('TARGET', `the URL is ${typeName(url)}, expected a string or a URL`, '', 0)
  }
  // The URL Standard leaves some characters that RFC 3986 forbids, such as "|" and "{" in a query.
  const text = typeof url === 'string' ? url : tolerance === 'none' ? escapeIllegal(url.href) : url.href
  const target = parseTarget(text, method, { tolerance, allowsFragment: true })
  if ('problem' in target) throw inputError('TARGET', target.problem, text, target.index)
  if (target.userinfo === undefined) return target
  throw inputError(
    'TARGET',
    'user and password in the URL (RFC 9110 section 4.2.4)',
    text,
    0,
    'Send an Authorization header',
  )
}

export function replaceHost(headers: HeaderList, authority: string): HeaderList {
  return headers.has('host') ? headers.with('Host', authority) : headers.prepend('Host', authority)
}

/** RFC 9112 section 3.2. */
export function checkHost(headers: HeaderList, version: HttpVersion): void {
  const hosts = headers.all('host')
  if (hosts.length > 1) throw inputError('HOST', 'more than one Host', hosts.join(', '), 0)
  const host = hosts[0]
  if (host === undefined) {
    if (version === 'HTTP/1.0') return
    throw inputError(
      'HOST',
      'no Host, which every HTTP/1.1 request needs',
      '',
      0,
      'Give the full URL, or a Host header',
    )
  }
  const problem = hostProblem(host)
  if (problem !== undefined)
    throw inputError('HOST', `Host is not host[:port]: ${problem.problem}`, host, problem.index)
}
