/** The text of cookie jars: what is read, what is written, what is refused. */
import { describe, expect, it } from 'vitest'
import { type JarCookie, parseCookieFile, printCookieFile } from '../../../src/runner/cookies/cookie-file.ts'

const cookie: JarCookie = {
  domain: 'a.test',
  isHostOnly: true,
  path: '/',
  isSecure: false,
  isHttpOnly: false,
  name: 'n',
  value: 'v',
  expiresAtS: 4102444800,
}

describe('a jar line', () => {
  it.each<[string, string, Partial<JarCookie>]>([
    ['Netscape', 'a.test\tFALSE\t/\tFALSE\t4102444800\tn\tv', {}],
    ['Netscape, for subdomains', '.a.test\tTRUE\t/\tFALSE\t4102444800\tn\tv', { isHostOnly: false }],
    ['Netscape, dot but not for subdomains', '.a.test\tFALSE\t/\tFALSE\t4102444800\tn\tv', {}],
    ['Netscape, HttpOnly', '#HttpOnly_a.test\tFALSE\t/\tFALSE\t4102444800\tn\tv', { isHttpOnly: true }],
    ['Netscape, Secure', 'a.test\tFALSE\t/\tTRUE\t4102444800\tn\tv', { isSecure: true }],
    ['Netscape, flags in lower case', 'a.test\tfalse\t/\ttrue\t4102444800\tn\tv', { isSecure: true }],
    ['Netscape, session', 'a.test\tFALSE\t/\tFALSE\t0\tn\tv', { expiresAtS: undefined }],
    ['Netscape, session without an expiry', 'a.test\tFALSE\t/\tFALSE\t\tn\tv', { expiresAtS: undefined }],
    ['Netscape, a port of wget', 'a.test:8080\tFALSE\t/\tFALSE\t4102444800\tn\tv', {}],
    ['Netscape, a port after IPv4', '10.0.0.1:80\tFALSE\t/\tFALSE\t4102444800\tn\tv', { domain: '10.0.0.1' }],
    ['Netscape, IPv6', '::1\tFALSE\t/\tFALSE\t4102444800\tn\tv', { domain: '::1' }],
    ['Netscape, empty value', 'a.test\tFALSE\t/\tFALSE\t4102444800\tn\t', { value: '' }],
    ['Netscape, no field for the value', 'a.test\tFALSE\t/\tFALSE\t4102444800\tn', { value: '' }],
    ['Netscape, fraction in the expiry', 'a.test\tFALSE\t/\tFALSE\t4102444800.5\tn\tv', {}],
    ['Netscape, CRLF', 'a.test\tFALSE\t/\tFALSE\t4102444800\tn\tv\r', {}],
    ['the editor, session', 'a.test\t/\tn\tv\t-1', { expiresAtS: undefined }],
    ['the editor, seconds', 'a.test\t/\tn\tv\t4102444800', {}],
    ['the editor, milliseconds', 'a.test\t/\tn\tv\t4102444800000', {}],
    ['the editor, date in words', 'a.test\t/\tn\tv\tFri, 01 Jan 2100 00:00:00 GMT', {}],
    ['the editor, domain with a dot', '.a.test\t/\tn\tv\t4102444800', { isHostOnly: false }],
    ['the editor, a prefix', 'a.test\t/\t__Host-n\tv\t4102444800', { name: '__Host-n', isSecure: true }],
    ['Netscape, a prefix', 'a.test\tFALSE\t/\tTRUE\t4102444800\t__Host-n\tv', { name: '__Host-n', isSecure: true }],
    ['RawHTTP', 'http://a.test:8080\n "n" "v" "" "/" "" "" "" "1" "false" "4102444800"', {}],
    [
      'RawHTTP, domain, secure and quotes in the value',
      'https://x.test/\n "n" "a"b" ".a.test" "/" "" "" "" "0" "true" "4102444800"',
      { value: 'a"b', isSecure: true, isHostOnly: false },
    ],
    ['the domain in upper case', 'A.TEST\tFALSE\t/\tFALSE\t4102444800\tn\tv', {}],
  ])('%s', (_, text, difference) => {
    expect(parseCookieFile(`# domain\tpath\n\n${text}\n`)).toEqual({
      cookies: [{ ...cookie, ...difference }],
      errors: [],
      unreadLines: [],
    })
  })

  it.each<[string, string, number, RegExp]>([
    ['a semicolon in the value', 'a.test\tFALSE\t/\tFALSE\t0\tn\tv; admin=1', 1, /semicolon/],
    ['an equals sign in the name', 'a.test\tFALSE\t/\tFALSE\t0\tn=m\tv', 1, /name is "n=m"/],
    ['a control character in the value', 'a.test\tFALSE\t/\tFALSE\t0\tn\tv\rw', 1, /control character/],
    ['a control character in the path', 'a.test\tFALSE\t/\x7f\tFALSE\t0\tn\tv', 1, /control character/],
    ['a domain with a path', 'a.test/x\tFALSE\t/\tFALSE\t0\tn\tv', 1, /domain is "a.test\/x"/],
    ['a value of 5000 bytes', `a.test\tFALSE\t/\tFALSE\t0\tn\t${'v'.repeat(5000)}`, 1, /4096/],
    ['words', 'hello', 1, /1 field between tabs/],
    ['too few fields', '# c\na.test\tFALSE\t/', 2, /3 fields/],
    ['too many fields', 'a\tFALSE\t/\tFALSE\t0\tn\tv\tw', 1, /8 fields/],
    ['a wrong flag', 'a.test\tmaybe\t/\tFALSE\t0\tn\tv', 1, /"maybe"/],
    ['a wrong Secure', 'a.test\tTRUE\t/\tx\t0\tn\tv', 1, /fourth field is "x"/],
    ['a wrong expiry', 'a.test\tTRUE\t/\tTRUE\tsoon\tn\tv', 1, /"soon"/],
    ['no domain', '\tTRUE\t/\tTRUE\t0\tn\tv', 1, /no domain/],
    ['no path', 'a.test\tTRUE\tx\tTRUE\t0\tn\tv', 1, /path is "x"/],
    ['__Secure- without Secure', 'a.test\tFALSE\t/\tFALSE\t0\t__secure-n\tv', 1, /prefix __secure- .* https only/],
    ['__Host- for subdomains', 'a.test\tTRUE\t/\tTRUE\t0\t__Host-n\tv', 1, /prefix __host- .* one host/],
    ['__Host- with a path', 'a.test\tFALSE\t/x\tTRUE\t0\t__Host-n\tv', 1, /prefix __host- .* path \//],
    ['no name', 'a.test\tTRUE\t/\tTRUE\t0\t\tv', 1, /no name/],
    ['an invalid date of the editor', 'a.test\t/\tn\tv\tthen', 1, /"then"/],
    ['a RawHTTP cookie without its URI', ' "n" "v" "" "/" "" "" "" "1" "false" "1"', 1, /before the line with its URI/],
    ['half a RawHTTP cookie', 'http://a.test\n "n" "v"', 2, /ten|10/],
  ])('is refused: %s', (_, text, line, message) => {
    const { errors, unreadLines } = parseCookieFile(text)
    expect(unreadLines).toEqual([text.split('\n')[line - 1]])
    expect(errors).toHaveLength(1)
    expect(errors[0]?.span.line).toBe(line)
    expect(errors[0]?.message).toMatch(message)
    expect(errors[0]?.excerpt).toContain('^')
  })
})

it('written cookies are read back unchanged', () => {
  const cookies: JarCookie[] = [
    cookie,
    { ...cookie, isHostOnly: false, name: 'b' },
    { ...cookie, isHttpOnly: true, isSecure: true, name: 'c', path: '/x' },
    { ...cookie, expiresAtS: undefined, name: 'd', value: '' },
    { ...cookie, isHostOnly: false, isHttpOnly: true, name: 'e', value: '\xe4 "=' },
  ]
  const text = printCookieFile(cookies)
  expect(parseCookieFile(text)).toEqual({ cookies, errors: [], unreadLines: [] })
  expect(text.split('\n')[0]).toBe('# Netscape HTTP Cookie File')
  expect(text).toContain('a.test\tFALSE\t/\tFALSE\t0\td\t\n')
})
