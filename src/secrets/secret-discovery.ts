/**
 * Finds the secrets of a run in fields, URLs, environments and request files, and reports them to the mask.
 *
 * Rules: a secret is reported before anything that may contain it can be printed. In Authorization and
 * Proxy-Authorization the credentials are secret, and with Basic the password in them as well; in a URL the password
 * before the host; in Cookie and Set-Cookie the values. A cookie value is masked only together with its name if neither
 * name nor shape shows that it is secret, and so is any very short value. RFC 9110 section 11, RFC 6265 sections 4.1
 * and 4.2, RFC 7617, RFC 3986 section 3.2.1.
 */
import type { JsonValue } from '../http-file/index.ts'
import type { HeaderList } from '../message/index.ts'
import { readableField } from './field-text.ts'

/** Receives each secret of a run as soon as it is known, possibly more than once. */
export interface SecretSink {
  add(value: string): void
}

/** Shorter values are masked together with their name. */
const MIN_LONE_CHARACTERS = 4

/** Secrets of a message that is about to be sent. */
export function collectSentSecrets(headers: HeaderList, secrets: SecretSink): void {
  for (const name of ['authorization', 'proxy-authorization']) {
    for (const value of headers.all(name)) collectCredentials(readableField(value), secrets)
  }
  for (const value of headers.all('cookie')) {
    for (const pair of readableField(value).split(';')) collectCookie(pair, secrets)
  }
}

export function collectReceivedSecrets(headers: HeaderList, secrets: SecretSink): void {
  for (const value of headers.all('set-cookie')) collectCookie(readableField(value).split(';')[0] ?? '', secrets)
  const location = headers.first('location')
  if (location?.includes('@') === true) collectUrlSecrets(readableField(location), secrets)
}

/** Credentials in URLs, anywhere in a text. */
export function collectUrlSecrets(text: string, secrets: SecretSink): void {
  // Like URL parsers, up to the last "@": both user and password may contain others.
  for (const [, userInformation = ''] of text.matchAll(/\/\/([^\s/?#]*)@/g)) {
    // The values of variables are reported once they are known.
    if (userInformation.includes('{{')) continue
    const [user = '', ...rest] = userInformation.split(':')
    const password = rest.join(':')
    collectUser(decoded(user), decoded(password), secrets)
    if (password !== '') secrets.add(password)
  }
}

/** Secrets in the text of a request file, so that no error can print them with their line. */
export function collectWrittenSecrets(source: string, secrets: SecretSink): void {
  collectUrlSecrets(source, secrets)
  for (const [, name = '', value = ''] of source.matchAll(secretFields)) {
    // The values of variables are reported once they are known.
    const texts = value.split(/\{\{[^{}]*\}\}/)
    if (name.toLowerCase() === 'cookie') for (const pair of texts.join(';').split(';')) collectCookie(pair, secrets)
    else if (texts.length === 1) collectWrittenCredentials(value.trim(), secrets)
    else for (const text of texts) collectPartOfCredentials(text, secrets)
  }
}

const secretFields = /^[ \t]*((?:proxy-)?authorization|cookie)[ \t]*:[ \t]*([^ \t\r\n].*)$/gim

function collectPartOfCredentials(text: string, secrets: SecretSink): void {
  const part = text.replace(/^\s*[\w-]+\s+/, '').trim()
  if (part.length >= MIN_LONE_CHARACTERS) secrets.add(part)
}

/** The values in a cookie jar of any format, including those in invalid lines (see cookie-file.ts). */
export function collectCookieFile(text: string, secrets: SecretSink): void {
  for (const line of text.split(/\r?\n/)) {
    const fields = line.split('\t')
    const [, name, value] = /^ *"([^"]*)" +"(.*?)" /.exec(line) ?? []
    if (fields.length > 5) collectCookie(`${fields[5]}=${fields.slice(6).join('\t')}`, secrets)
    else if (fields.length > 3) collectCookie(`${fields[2]}=${fields[3]}`, secrets)
    else if (value !== undefined) collectCookie(`${name}=${value}`, secrets)
  }
}

/** Candidates in invalid JSON: every string and every word that is not a key. */
export function collectBrokenJson(text: string, secrets: SecretSink): void {
  const tokens = text.match(/"[^\n]*?(?:"(?<=[^\\](?:\\\\)*")|(?=\n)|$)|[^\s",:{}[\]]+|:/g) ?? []
  for (const [index, token] of tokens.entries()) {
    if (token !== ':' && tokens[index + 1] !== ':') secrets.add(token.replace(/^"|"$/g, ''))
  }
}

/** Every text and number in a value. */
export function collectValues(value: JsonValue, secrets: SecretSink): void {
  if (typeof value === 'string' || typeof value === 'number') secrets.add(String(value))
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) collectValues(each, secrets)
}

/** Members of `Security` and `SSLConfiguration` that are always secret, in lower case. */
const secretSettings: ReadonlySet<string> = new Set([
  'client secret',
  'password',
  'code verifier',
  'certificatepassphrase',
])
/** Members whose values are well-known words, or paths that errors name. */
const readableSettings: ReadonlySet<string> = new Set([
  'type',
  'grant type',
  'client credentials',
  'code challenge method',
  'response type',
  'use',
  'format',
  'clientcertificate',
  'clientcertificatekey',
])

/** @param isPrivate whether every value is secret, because it comes from the private file */
export function collectSettings(value: JsonValue, isPrivate: boolean, secrets: SecretSink): void {
  if (typeof value !== 'object' || value === null) {
    if (isPrivate) collectValues(value, secrets)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const key = name.toLowerCase()
    if (secretSettings.has(key)) collectValues(member, secrets)
    else if (!readableSettings.has(key)) collectSettings(member, isPrivate, secrets)
  }
}

function collectCredentials(value: string, secrets: SecretSink): void {
  const { scheme, credentials } = /^(?<scheme>[\w-]+)[ \t]+(?<credentials>[^ \t].*)$/s.exec(value)?.groups ?? {}
  if (scheme === undefined || credentials === undefined) {
    if (!loneScheme.test(value)) secrets.add(value)
    return
  }
  secrets.add(credentials.length < MIN_LONE_CHARACTERS ? value : credentials)
  if (scheme.toLowerCase() === 'basic') collectBasic(credentials, secrets)
  for (const [, parameter = ''] of credentials.matchAll(secretParameters)) secrets.add(parameter)
}

/** A scheme whose credentials are empty: masking its name would hide it in every other text. */
const loneScheme = /^(?:basic|bearer|digest|dpop|hoba|mutual|negotiate|ntlm|oauth|token)[ \t]*$/i

/** Parameters of Digest and of schemes that sign requests. */
const secretParameters = /\b(?:response|signature|oauth_signature|oauth_token|token|password|mac)="?([^",\s]+)/gi

function collectBasic(credentials: string, secrets: SecretSink): void {
  const plain = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = plain.indexOf(':')
  if (colon >= 0 && !plain.includes('\ufffd')) collectUser(plain.slice(0, colon), plain.slice(colon + 1), secrets)
}

/** A request file may contain user and password in plain text. */
function collectWrittenCredentials(value: string, secrets: SecretSink): void {
  collectCredentials(value, secrets)
  const [, user, password] = /^(?:basic|digest)[ \t]+([^\s:]+)(?:[ \t]+|:)(\S.*)$/i.exec(value) ?? []
  if (user !== undefined && password !== undefined) collectUser(user, password, secrets)
}

function collectUser(user: string, password: string, secrets: SecretSink): void {
  if (password === '') {
    // A token may take the place of the user.
    if (user !== '') secrets.add(user)
    return
  }
  secrets.add(`${user}:${password}`)
  if (password.length >= MIN_LONE_CHARACTERS) secrets.add(password)
}

function collectCookie(pair: string, secrets: SecretSink): void {
  const text = pair.trim()
  const value = text.slice(text.indexOf('=') + 1).replace(/^"(.*)"$/, '$1')
  if (value === '') return
  if (value.length < MIN_LONE_CHARACTERS || !isSecretCookie(text.slice(0, Math.max(0, text.indexOf('='))), value)) {
    secrets.add(text)
    return
  }
  secrets.add(value)
  const plain = decoded(value)
  if (plain !== value) secrets.add(plain)
}

/** Common names for sessions, tokens and identities. */
const secretCookieName =
  /(?:^|[-_.])(?:s|sid|sess|session|auth|token|jwt|csrf|xsrf|login|user|uid|id|key|secret|ticket|remember|sso|access|refresh)(?:$|[-_.\d])|sess|token|auth|secret|passw|(?:sid|id)$/i
/** Shorter values can be guessed, and are often words. */
const MIN_RANDOM_CHARACTERS = 16

function isSecretCookie(name: string, value: string): boolean {
  if (secretCookieName.test(name)) return true
  // Long, and not made of words: either letters and digits, or a token with three parts.
  return value.length >= MIN_RANDOM_CHARACTERS && /\d/.test(value) && /[A-Za-z]/.test(value) && !/\s/.test(value)
}

/** Invalid escapes are taken literally. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
