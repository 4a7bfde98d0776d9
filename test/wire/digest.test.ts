/** Digest authentication: the examples of its RFCs, and what servers do. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { HeaderList, HttpRequest, octetsOf, parseResponse } from '../../src/message/index.ts'
import { DigestAuthentication, ProxyDigest } from '../../src/wire/index.ts'

const request = new HttpRequest({ method: 'GET', url: 'http://www.example.org/dir/index.html' })
const challenge = (...values: string[]): HeaderList =>
  HeaderList.of(values.map((value) => ['WWW-Authenticate', value] as const))

/** A challenge that only a parser accepts. */
const received = (value: string): HeaderList =>
  parseResponse(octetsOf(`HTTP/1.1 401 No\r\nWWW-Authenticate: ${value}\r\n\r\n`)).headers

/** The parameters of the answer to a challenge. */
async function answer(
  headers: HeaderList,
  { user = 'Mufasa', password = 'Circle of Life', clientNonce = 'c', sent = request } = {},
): Promise<Record<string, string>> {
  const digest = new DigestAuthentication({ user, password }, () => clientNonce)
  expect(digest.take(401, headers, false)).toBe(true)
  return parameters(await digest.answer(sent))
}

function parameters(sent: HttpRequest): Record<string, string> {
  const value = sent.headers.first('authorization') ?? ''
  expect(value).toMatch(/^Digest /)
  const found = value.slice('Digest '.length).matchAll(/([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)
  return Object.fromEntries([...found].map(([, name, inQuotes, bare]) => [name, inQuotes ?? bare]))
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

describe('the response', () => {
  const rfc7616 =
    'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
  const clientNonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

  it('is that of RFC 7616 section 3.9.1 for MD5', async () => {
    const found = await answer(challenge(`Digest ${rfc7616}, algorithm=MD5`), { clientNonce })
    expect(found).toMatchObject({
      username: 'Mufasa',
      uri: '/dir/index.html',
      algorithm: 'MD5',
      nc: '00000001',
      qop: 'auth',
      response: '8ca523f5e9506fed4657c9700eebdbec',
      opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
    })
  })

  it('is that of RFC 7616 section 3.9.1 for SHA-256', async () => {
    const found = await answer(challenge(`Digest ${rfc7616}, algorithm=SHA-256`), { clientNonce })
    expect(found.response).toBe('753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1')
  })

  it('hides the user and uses SHA-512-256 as RFC 7616 section 3.9.2 does', async () => {
    const found = await answer(
      challenge(
        'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true',
      ),
      { user: 'J\u00e4s\u00f8n Doe', password: 'Secret, or not?', clientNonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm' },
    )
    expect(found).toMatchObject({ userhash: 'true', algorithm: 'SHA-512-256' })
    expect(found.username).toMatch(/^[0-9a-f]{64}$/)
  })

  it('without qop is that of RFC 2069', async () => {
    const found = await answer(challenge('Digest realm="r", nonce="n"'))
    expect(found.response).toBe(md5(`${md5('Mufasa:r:Circle of Life')}:n:${md5('GET:/dir/index.html')}`))
    expect(found).not.toHaveProperty('qop')
    expect(found).not.toHaveProperty('cnonce')
    expect(found).not.toHaveProperty('algorithm')
  })

  it('with MD5-sess mixes the nonces into the secret', async () => {
    const found = await answer(challenge('Digest realm="r", nonce="n", qop=auth, algorithm=MD5-sess'))
    const secret = md5(`${md5('Mufasa:r:Circle of Life')}:n:c`)
    expect(found.response).toBe(md5(`${secret}:n:00000001:c:auth:${md5('GET:/dir/index.html')}`))
  })

  it('with auth-int covers the content', async () => {
    const sent = new HttpRequest({ method: 'POST', url: 'http://a.test/x?y', body: 'text' })
    const found = await answer(challenge('Digest realm="r", nonce="n", qop="auth-int"'), { sent })
    const subject = md5(`POST:/x?y:${md5('text')}`)
    expect(found.response).toBe(md5(`${md5('Mufasa:r:Circle of Life')}:n:00000001:c:auth-int:${subject}`))
  })

  it('escapes quotes', async () => {
    const found = await answer(challenge('Digest realm="a \\"b\\"", nonce="n"'), { user: 'x"y' })
    expect(found).toMatchObject({ realm: 'a \\"b\\"', username: 'x\\"y' })
    expect(found.response).toBe(md5(`${md5('x"y:a "b":Circle of Life')}:n:${md5('GET:/dir/index.html')}`))
  })

  it.each([
    ['ISO 8859-1', 'caf\xe9'],
    ['UTF-8', 'caf\xc3\xa9'],
  ])('returns a realm in %s byte for byte, and hashes its bytes', async (_charset, realm) => {
    const found = await answer(challenge(`Digest realm="${realm}", nonce="n"`), { user: '\u00e4', password: '\u20ac' })
    const secret = createHash('md5').update(`\xc3\xa4:${realm}:\xe2\x82\xac`, 'latin1').digest('hex')
    expect(found.realm).toBe(realm)
    expect(found.response).toBe(md5(`${secret}:n:${md5('GET:/dir/index.html')}`))
  })

  it('to a proxy has the bytes of its URL as user and password', async () => {
    const digest = new ProxyDigest(() => 'c').of(new URL('http://%C3%A4:%E9@proxy.test'))
    digest?.take(407, HeaderList.of({ 'Proxy-Authenticate': 'Digest realm="r", nonce="n"' }), false)
    const value = (await digest?.answer(request))?.headers.first('proxy-authorization')
    const secret = createHash('md5').update('\xc3\xa4:r:\xe9', 'latin1').digest('hex')
    expect(value).toContain('username="\xc3\xa4"')
    expect(value).toContain(`response="${md5(`${secret}:n:${md5('GET:/dir/index.html')}`)}"`)
  })

  it('encodes a non-ASCII user as the charset says', async () => {
    const found = await answer(challenge('Digest realm="r", nonce="n", charset=UTF-8'), { user: '\u00e4' })
    expect(found['username*']).toBe("UTF-8''%C3%A4")
  })
})

describe('the challenge', () => {
  it.each<[string, HeaderList, string]>([
    [
      'the first that is known',
      challenge('Digest realm="a", nonce="1", algorithm=X', 'Digest realm="b", nonce="2"'),
      '2',
    ],
    ['after another scheme in one field', challenge('Basic realm="a, b", Digest realm="b", nonce="2"'), '2'],
    ['before another scheme', challenge('Digest realm="b", nonce="2", Basic realm="a"'), '2'],
    ['after a token68', challenge('Negotiate abc==, Digest nonce="2", realm="r"'), '2'],
    ['after empty elements of the list', challenge(' , ,\tDigest nonce="2", realm="r"'), '2'],
    ['names in any case', challenge('DIGEST REALM="b", NONCE="2", ALGORITHM=md5'), '2'],
    ['values without quotes', challenge('Digest realm=b, nonce=2, qop=auth'), '2'],
  ])('is found: %s', async (_, headers, nonce) => {
    expect((await answer(headers)).nonce).toBe(nonce)
  })

  it.each<[string, HeaderList]>([
    ['none', HeaderList.of()],
    ['another scheme', challenge('Basic realm="a"')],
    ['an unknown algorithm', challenge('Digest realm="a", nonce="1", algorithm=MD4')],
    ['an unknown protection', challenge('Digest realm="a", nonce="1", qop="magic"')],
    ['no nonce', challenge('Digest realm="a"')],
    ['a control character', received('Digest realm="a\x01", nonce="1"')],
    ['a control character without quotes', received('Digest realm=a, nonce=1\x7f')],
  ])('is not answered: %s', (_, headers) => {
    const digest = new DigestAuthentication({ user: 'u', password: 'p' }, () => 'c')
    expect(digest.take(401, headers, false)).toBe(false)
  })

  it('is reused for further requests with an increasing count', async () => {
    const digest = new DigestAuthentication({ user: 'u', password: 'p' }, () => 'c')
    digest.take(401, challenge('Digest realm="r", nonce="n", qop=auth'), false)
    const counts = []
    for (let i = 0; i < 11; i++) counts.push(parameters(await digest.answer(request)).nc)
    expect([counts[0], counts[1], counts[10]]).toEqual(['00000001', '00000002', '0000000b'])
  })

  it('is answered once more when it is stale, and not when the answer was wrong', async () => {
    const digest = new DigestAuthentication({ user: 'u', password: 'p' }, () => 'c')
    digest.take(401, challenge('Digest realm="r", nonce="1", qop=auth'), false)
    await digest.answer(request)
    expect(digest.take(401, challenge('Digest realm="r", nonce="2", qop=auth, stale=TRUE'), true)).toBe(true)
    expect(parameters(await digest.answer(request))).toMatchObject({ nonce: '2', nc: '00000001' })
    expect(digest.take(401, challenge('Digest realm="r", nonce="3", qop=auth'), true)).toBe(false)
  })

  it('is replaced by the nonce that a response announces', async () => {
    const digest = new DigestAuthentication({ user: 'u', password: 'p' }, () => 'c')
    digest.take(401, challenge('Digest realm="r", nonce="1", qop=auth'), false)
    await digest.answer(request)
    digest.take(200, HeaderList.of([['Authentication-Info', 'nextnonce="2", qop=auth']]), true)
    expect(parameters(await digest.answer(request))).toMatchObject({ nonce: '2', nc: '00000001' })
  })
})
