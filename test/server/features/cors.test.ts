import { describe, expect, it } from 'vitest'
import { answerPreflight, corsFields, parseOrigin } from '../../../src/server/features/cors.ts'
import { requestFor } from '../server-request.ts'

describe('an origin', () => {
  it.each([
    ['*', '*'],
    ['null', 'null'],
    ['https://app.example', 'https://app.example'],
    ['HTTPS://App.Example:8443', 'https://app.example:8443'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['tauri://localhost', 'tauri://localhost'],
  ])('%s is read as %s', (text, origin) => {
    expect(parseOrigin(text)).toBe(origin)
  })

  it.each([
    '',
    'app.example',
    'https://',
    'https://a/',
    'https://a/path',
    'https://a b',
    'https://a\r\nX: y',
    'https://a,https://b',
  ])('%j is invalid', (text) => {
    expect(() => parseOrigin(text)).toThrow(expect.objectContaining({ code: 'origin' }))
  })

  it('may read every response, including range and validator fields', () => {
    const fields = new Map(corsFields('https://app.example'))
    expect(fields.get('Access-Control-Allow-Origin')).toBe('https://app.example')
    expect(fields.get('Access-Control-Expose-Headers')).toMatch(/\bContent-Range\b.*\bETag\b/)
    expect([...fields.keys()].join()).not.toContain('Credentials')
  })
})

describe('a preflight', () => {
  const preflight = (fields: Record<string, string>, method = 'OPTIONS') =>
    answerPreflight(
      requestFor('/a', { origin: 'https://a', 'access-control-request-method': 'GET', ...fields }, method),
    )

  it('is answered with what is allowed', () => {
    const answer = preflight({ 'access-control-request-headers': 'range, x-token,authorization' })
    expect([answer?.status, answer?.body]).toEqual([204, undefined])
    const fields = new Map(answer?.fields)
    expect(fields.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS')
    expect(fields.get('Access-Control-Allow-Headers')).toBe('range, x-token, authorization')
    expect(fields.get('Access-Control-Max-Age')).toMatch(/^\d+$/)
    expect(fields.has('Access-Control-Allow-Private-Network')).toBe(false)
  })

  it('echoes only field names', () => {
    const fields = new Map(preflight({ 'access-control-request-headers': 'a b, <x>, ok, "q", \xe9' })?.fields)
    expect(fields.get('Access-Control-Allow-Headers')).toBe('ok')
  })

  it('lets a public page access a private network if it asks', () => {
    const fields = new Map(preflight({ 'access-control-request-private-network': 'true' })?.fields)
    expect(fields.get('Access-Control-Allow-Private-Network')).toBe('true')
  })

  it.each([
    ['another method', requestFor('/', { origin: 'https://a', 'access-control-request-method': 'GET' })],
    ['no origin', requestFor('/', { 'access-control-request-method': 'GET' }, 'OPTIONS')],
    ['no requested method', requestFor('/', { origin: 'https://a' }, 'OPTIONS')],
  ])('is not recognised with %s', (_, request) => {
    expect(answerPreflight(request)).toBeUndefined()
  })
})
