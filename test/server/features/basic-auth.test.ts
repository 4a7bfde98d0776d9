import { describe, expect, it } from 'vitest'
import { createBasicAuth, parseCredentials } from '../../../src/server/features/basic-auth.ts'
import { requestFor } from '../server-request.ts'

const encode = (text: string) => Buffer.from(text).toString('base64')

function statusFor(authorization: string | undefined, credentials = 'joe:s3cret'): number | undefined {
  const check = createBasicAuth(parseCredentials(credentials))
  return check(requestFor('/', authorization === undefined ? {} : { authorization }))?.status
}

describe('Basic authentication', () => {
  it.each([
    ['as every client writes it', `Basic ${encode('joe:s3cret')}`],
    ['with another case of the scheme', `bAsIc ${encode('joe:s3cret')}`],
    ['with more blanks', `Basic   ${encode('joe:s3cret')}`],
    ['without padding', `Basic ${encode('joe:s3cret').replace(/=+$/, '')}`],
  ])('accepts the right credentials %s', (_, authorization) => {
    expect(statusFor(authorization)).toBeUndefined()
  })

  it.each([
    ['no field', undefined],
    ['an empty field', ''],
    ['no credentials', 'Basic'],
    ['no base64', 'Basic ???'],
    ['text after the credentials', `Basic ${encode('joe:s3cret')} x`],
    ['another scheme', `Bearer ${encode('joe:s3cret')}`],
    ['a wrong password', `Basic ${encode('joe:other')}`],
    ['a password that goes on', `Basic ${encode('joe:s3cret1')}`],
    ['a beginning of the password', `Basic ${encode('joe:s3cre')}`],
    ['a wrong user', `Basic ${encode('jim:s3cret')}`],
    ['another case', `Basic ${encode('Joe:s3cret')}`],
    ['the colon elsewhere', `Basic ${encode('joe:s3c:ret')}`],
    ['nothing', `Basic ${encode('')}`],
    ['only a colon', `Basic ${encode(':')}`],
  ])('rejects %s, with the same response for all', (_, authorization) => {
    expect(statusFor(authorization)).toBe(401)
  })

  it.each([
    ['a password with colons', 'joe:a:b:c'],
    ['an empty password', 'joe:'],
    ['no user', ':password'],
    ['letters past ASCII', 'jörg:pässwörd'],
    ['letters that are put together', 'jo\u0308rg:x'],
  ])('accepts %s', (_, credentials) => {
    expect(statusFor(`Basic ${encode(credentials.normalize('NFC'))}`, credentials)).toBeUndefined()
    expect(statusFor(`Basic ${encode(`${credentials}x`)}`, credentials)).toBe(401)
  })

  it('asks for a password in UTF-8, and says nothing else', () => {
    const answer = createBasicAuth(parseCredentials('joe:s3cret'))(requestFor('/secret'))
    expect(answer?.fields).toContainEqual(['WWW-Authenticate', 'Basic realm="httpcli", charset="UTF-8"'])
    expect(Buffer.from(answer?.body as Uint8Array).toString()).toBe('401 Unauthorized\n')
  })

  it.each(['joe', '', 'joe:\x00', 'joe:a\nb', '\x7f:x', ':'])(
    'refuses %j as credentials and does not show them',
    (text) => {
      expect(() => parseCredentials(text)).toThrow(expect.objectContaining({ code: 'credentials' }))
      try {
        parseCredentials(text)
      } catch (error) {
        if (text.length > 1) expect(String(error)).not.toContain(text)
      }
    },
  )
})
