/** The secrets of a run. */
import { describe, expect, it } from 'vitest'
import { HeaderList } from '../../src/message/index.ts'
import {
  collectBrokenJson,
  collectCookieFile,
  collectReceivedSecrets,
  collectSentSecrets,
  collectSettings,
  collectUrlSecrets,
  collectWrittenSecrets,
  type SecretSink,
} from '../../src/secrets/secret-discovery.ts'

function reported(report: (secrets: SecretSink) => void): readonly string[] {
  const values = new Set<string>()
  report({ add: (value) => values.add(value) })
  return [...values]
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('secrets of a sent message', () => {
  it.each([
    ['Authorization', 'Bearer abc.def', ['abc.def']],
    ['authorization', 'token-without-scheme', ['token-without-scheme']],
    ['Authorization', 'Bearer ab', ['Bearer ab']],
    ['Authorization', 'Bearer', []],
    ['Proxy-Authorization', 'basic ', []],
    ['Authorization', 'bearer1', ['bearer1']],
    ['Authorization', `Basic ${base64('ada:love lace')}`, [base64('ada:love lace'), 'ada:love lace', 'love lace']],
    ['Authorization', `Basic ${base64('ada:pw')}`, [base64('ada:pw'), 'ada:pw']],
    ['Proxy-Authorization', `Basic ${base64('p:größer')}`, [base64('p:größer'), 'p:größer', 'größer']],
    [
      'Authorization',
      'Digest username="ada", response="0123abcd"',
      ['username="ada", response="0123abcd"', '0123abcd'],
    ],
    ['Cookie', 'a=1; sid="s%3Aabc def"; theme=dark', ['a=1', 's%3Aabc def', 's:abc def', 'theme=dark']],
    ['X-Other', 'Bearer abc.def', []],
  ])('%s: %s', (name, value, secrets) => {
    const octets = Buffer.from(value).toString('latin1')
    expect(reported((sink) => collectSentSecrets(HeaderList.of([[name, octets]]), sink))).toEqual(secrets)
  })
})

describe('secrets of a received message', () => {
  it.each([
    ['Set-Cookie', 'sid=abcdef; Path=/; HttpOnly', ['abcdef']],
    ['Set-Cookie', 'theme=darkness; Path=/', ['theme=darkness']],
    ['Set-Cookie', 'PHPSESSID=short1', ['short1']],
    ['Set-Cookie', 'x-auth-v2=short1', ['short1']],
    ['Set-Cookie', 'p=0a1b2c3d4e5f60718', ['0a1b2c3d4e5f60718']],
    ['Set-Cookie', 'gone=; Max-Age=0', []],
    ['Set-Cookie', 'x=12', ['x=12']],
    ['Location', 'http://ada:love%20lace@api.test/', ['ada:love lace', 'love lace', 'love%20lace']],
    ['Location', '/plain', []],
  ])('%s: %s', (name, value, secrets) => {
    expect(reported((sink) => collectReceivedSecrets(HeaderList.of([[name, value]]), sink))).toEqual(secrets)
  })
})

it.each([
  ['http://ghp_token@api.test/', ['ghp_token']],
  ['see http://a.test/x@y and //u:pass@h', ['u:pass', 'pass']],
  ['mail ada@api.test', []],
  ['http://ada:love@lace@api.test/', ['ada:love@lace', 'love@lace']],
  ['http://ada@home.test:lovelace@api.test/', ['ada@home.test:lovelace', 'lovelace']],
  ['http://{{user}}:pass@{{host}}/', []],
  ['http://{{user}}:{{password}}@api.test/', []],
])('finds the secrets of URLs in %s', (text, secrets) => {
  expect(reported((sink) => collectUrlSecrets(text, sink))).toEqual(secrets)
})

it.each([
  ['Authorization: Bearer abcdef', ['abcdef']],
  ['  authorization : Basic ada lovelace', ['ada lovelace', 'ada:lovelace', 'lovelace']],
  ['Authorization: Digest ada:lovelace', ['ada:lovelace', 'lovelace']],
  ['Authorization: Bearer {{token}}', []],
  ['Authorization: Bearer {{head}}.payload', ['.payload']],
  ['Cookie: sid=abcdef; lang={{lang}}', ['abcdef']],
  ['GET http://ada:lovelace@api.test/', ['ada:lovelace', 'lovelace']],
])('finds the secrets of the line "%s" in a request file', (line, secrets) => {
  expect(reported((sink) => collectWrittenSecrets(`GET http://h/\n${line}\n`, sink))).toEqual(secrets)
})

it('finds the secrets of cookie jars in every format', () => {
  const jar = [
    '# Netscape HTTP Cookie File',
    'api.test\tFALSE\t/\tFALSE\t0\tsid\tnetscape value',
    'api.test\tFALSE\t/\tFALSE\tsoon\tsid\tbroken expiry',
    'api.test\t/\tsid\teditor value\t-1',
    ' "sid" "rawhttp value" "api.test" "/" "" "" "" "1" "false" "0"',
  ].join('\n')
  expect(reported((sink) => collectCookieFile(jar, sink))).toEqual([
    'netscape value',
    'broken expiry',
    'editor value',
    'rawhttp value',
  ])
})

it('finds secrets in nearly valid JSON: everything except keys', () => {
  const text = '{ "dev": { "token": "s3cr3t" "pin": 123456, "key": "not closed\n  other: plainword } }'
  const values = reported((sink) => collectBrokenJson(text, sink))
  expect(values).toEqual(expect.arrayContaining(['s3cr3t', '123456', 'not closed', 'plainword']))
  expect(values).not.toContain('token')
})

const security = {
  Auth: {
    svc: {
      Type: 'OAuth2',
      'Client ID': 'client',
      'Client Secret': 's3cr3t',
      Scope: 'read',
      PKCE: { 'Code Verifier': 'verify' },
    },
  },
}

it('finds only passwords in the settings of a public file', () => {
  expect(reported((sink) => collectSettings(security, false, sink))).toEqual(['s3cr3t', 'verify'])
  expect(
    reported((sink) => collectSettings({ certificatePassphrase: 'pass', clientCertificate: 'a.pem' }, false, sink)),
  ).toEqual(['pass'])
})

it('finds secrets in the settings of a private file: all except well-known words', () => {
  expect(reported((sink) => collectSettings(security, true, sink))).toEqual(['client', 's3cr3t', 'read', 'verify'])
  const paths = { clientCertificate: { path: 'a.pem', format: 'PEM' }, clientCertificateKey: 'a.key' }
  expect(reported((sink) => collectSettings(paths, true, sink))).toEqual([])
})
