/**
 * Finds secrets that are written into a request file, where everyone who has the file can read them.
 *
 * Rules: credentials in Authorization, Proxy-Authorization and URLs, and values of headers and variables whose name
 * suggests a secret. A value that contains a variable does not count, and neither does a placeholder. Messages never
 * contain the value.
 */
import { isLiteral, type Section, type Template, templateText } from '../../http-file/index.ts'
import type { Advice } from './request-advice.ts'

const secretName =
  /(?:^|[-_. ])(?:password|passwd|pwd|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credentials?)$/i
const credentialField = /^(?:proxy-)?authorization$/i
/** `<token>`, `xxxx`, `***`, `...`, `your-token`, `changeme` */
const placeholder = /^(?:<.*>|\[.*\]|[xX*.…_-]+|your\b.*|change[-_]?me|todo|none|null|true|false|\d{1,3})$/i

const hint =
  'Move it to http-client.private.env.json or to the environment of the process, and write {{name}} or {{$env.NAME}}.'

export function writtenSecrets({ variables, request }: Section): readonly Advice[] {
  const advice: Advice[] = []
  const add = (what: string, span: Advice['span']): void => {
    advice.push({ code: 'written-secret', message: `${what} in plain text in the file`, hint, span })
  }
  for (const { name, value, span } of variables) {
    if (isSecretName(name) && isWritten(templateText(value), value)) add(`the value of @${name} is`, span)
  }
  if (request === undefined) return advice
  const [, password] = /^[a-z]*:?\/\/[^/?#:]*:([^/?#]+)@/i.exec(templateText(request.line.target)) ?? []
  if (password !== undefined && !password.includes('{{')) add('the password of the URL is', request.line.targetSpan)
  for (const { name, value, valueSpan } of request.headers) {
    const field = templateText(name)
    const isCredential = credentialField.test(field)
    const credentials = templateText(value).replace(/^(?:basic|bearer|digest|token|apikey)[ \t]+/i, '')
    if ((isCredential || isSecretName(field)) && isWritten(credentials, value)) {
      add(isCredential ? `the credentials of ${field} are` : `the value of ${field} is`, valueSpan)
    }
  }
  return advice
}

function isSecretName(name: string): boolean {
  return secretName.test(name.replace(/([a-z])([A-Z])/g, '$1-$2'))
}

function isWritten(text: string, template: Template): boolean {
  return text.trim() !== '' && isLiteral(template) && !placeholder.test(text.trim())
}
