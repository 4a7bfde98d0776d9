/** The short forms of Authorization. */
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/http-file/index.ts'
import { parseAuthorization } from '../../../src/runner/request/authorization.ts'

const values: Readonly<Record<string, string>> = {
  user: 'ada',
  password: 'love lace',
  both: 'ada lovelace',
  token: 'abc',
}
const read = (text: string): ReturnType<typeof parseAuthorization> =>
  parseAuthorization(parseTemplate(text), (name) => values[name] as string)
const encoded = (text: string): string => `Basic ${Buffer.from(text, 'utf8').toString('base64')}`

describe('Authorization', () => {
  it.each<[string, string]>([
    ['Basic ada lovelace', encoded('ada:lovelace')],
    ['basic  ada\tlovelace', encoded('ada:lovelace')],
    ['Basic ada love lace', encoded('ada:love lace')],
    ['Basic {{user}} {{password}}', encoded('ada:love lace')],
    ['Basic {{both}}', encoded('ada:lovelace')],
    ['Basic {{user}}@h.test {{password}}!', encoded('ada@h.test:love lace!')],
    ['Basic ada:lovelace', encoded('ada:lovelace')],
    ['Basic {{user}}:x', encoded('ada:x')],
    ['Basic {{user}}:{{password}}', encoded('ada:love lace')],
    ['Basic ada:{{password}}!', encoded('ada:love lace!')],
    ['Basic ada:', encoded('ada:')],
    ['Basic :{{password}}', encoded(':love lace')],
    ['Basic :token', encoded(':token')],
    ['Basic a=b:{{password}}', encoded('a=b:love lace')],
    ['Basic zoë ü', encoded('zoë:ü')],
    ['Basic YWRhOmxvdmVsYWNl', 'Basic YWRhOmxvdmVsYWNl'],
    ['Bearer {{token}}', 'Bearer abc'],
    ['Digest username="ada", realm="r"', 'Digest username="ada", realm="r"'],
    ['AWS4-HMAC-SHA256 Credential=a b', 'AWS4-HMAC-SHA256 Credential=a b'],
    ['AWS AKID:c2lnbmF0dXJl', 'AWS AKID:c2lnbmF0dXJl'],
    ['NTLM TlRMTVNTUAAB', 'NTLM TlRMTVNTUAAB'],
    ['OAuth2 {{token}}', 'OAuth2 abc'],
    ['{{token}}', 'abc'],
  ])('%s is sent as %s', (written, value) => {
    expect(read(written)).toEqual({ value, digest: undefined })
  })

  it.each<[string, string, string]>([
    ['Digest ada lovelace', 'ada', 'lovelace'],
    ['digest {{user}} {{password}}', 'ada', 'love lace'],
    ['Digest ada:lovelace', 'ada', 'lovelace'],
    ['Digest {{user}}:{{password}}', 'ada', 'love lace'],
  ])('%s answers a challenge', (written, user, password) => {
    expect(read(written)).toEqual({ value: undefined, digest: { user, password } })
  })

  it.each([
    ['AWS {{user}} {{password}} region:eu-west-1 service:s3'],
    ['aws {{both}}'],
    ['NTLM ada lovelace'],
    ['NTLM ada:lovelace'],
    ['COGNITO ada lovelace eu-west-1 pool client'],
    ['OpenId client_credentials local'],
    ['OAuth2 authorization_code'],
  ])('%s is refused, because another tool computes the field from it', (written) => {
    expect(() => read(written)).toThrow(expect.objectContaining({ code: 'not-supported' }))
  })
})
