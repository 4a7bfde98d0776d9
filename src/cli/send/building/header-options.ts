/**
 * Applies -H, -u and --bearer as header fields, and the short forms of Authorization in request files.
 *
 * Rules: a field of -H replaces all fields of its name in the message, and `Name:` removes them; several -H of one name
 * are all sent. Values are UTF-8. `Transfer-Encoding: chunked` sends the body in chunks, even if its length is known.
 * -u without --digest is Basic; Digest waits for the challenge of the server.
 */
import { type HttpRequest, isToken, type MessageBody, octetString, utf8Bytes } from '../../../message/index.ts'
import { basicAuthorization, type Credentials, shortAuthorization } from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { SendValues } from '../../options/send.ts'
import { readSecret } from '../../streams/secret.ts'

type Field = readonly [name: string, value: string]

/** Fields as binary strings. @throws UsageError for a name or value that is invalid in a header. */
export function fieldsOf(pairs: readonly Field[]): readonly Field[] {
  return pairs.map(([name, value]) => {
    if (!isToken(name)) {
      throw new UsageError(`"${name}" is not the name of a header`, {
        hint: 'A name consists of letters, digits and dashes',
      })
    }
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
      throw new UsageError(`the value of the header ${name} has a control character`, { hint: 'Leave it out' })
    }
    return [name, octetString(utf8Bytes(value.trim()))]
  })
}

export function wantsChunks(fields: Iterable<readonly [name: string, value: string]>): boolean {
  return [...fields].some(([name, value]) => /^transfer-encoding$/i.test(name) && /^chunked$/i.test(value))
}

/** The same content without its length. */
export function inChunks(body: Pick<MessageBody, 'contentType' | 'open'>): MessageBody {
  return { contentType: body.contentType, open: () => body.open() }
}

/** Fields that every request needs. */
const requiredFields: ReadonlySet<string> = new Set(['host', 'content-length', 'transfer-encoding'])

/** Names of fields to omit. @throws UsageError */
function leftOutNames(names: readonly string[], { headers }: HttpRequest): readonly string[] {
  const required = names.find((name) => requiredFields.has(name.toLowerCase()) && headers.has(name))
  if (required === undefined) return fieldsOf(names.map((name) => [name, ''])).map(([name]) => name)
  throw new UsageError(`"${required}:" leaves out a header that the request needs`, {
    hint: `Write "${required}: <value>"; --raw sends text without it`,
  })
}

/** `Name: value`; `Name;` for an empty value; `Name:` for a header that is not sent: undefined. @throws UsageError */
function headerOption(text: string): readonly [name: string, value: string | undefined] {
  const match = /^([^:;]+)(?::(.*)|;)$/s.exec(text)
  if (match !== null) {
    const [, name = '', value = undefined] = match
    if (value === undefined) return [name.trim(), '']
    return [name.trim(), value.trim() === '' ? undefined : value]
  }
  throw new UsageError(`invalid -H/--header "${text}": expected "Name: value"`, { hint: "Write -H 'Name: value'" })
}

export interface AuthorizedRequest {
  readonly request: HttpRequest
  /** Credentials for the challenges of the server. */
  readonly digest: Credentials | undefined
}

/**
 * The request with the fields of the options.
 * @param built the user and password of the URL, if the request is made of a URL and items
 * @throws UsageError
 */
export async function withHeaderOptions(
  context: CommandContext<SendValues>,
  request: HttpRequest,
  built: { readonly credentials: Credentials | undefined } | undefined,
): Promise<AuthorizedRequest> {
  const { arguments: args } = context
  const options = args.values('header').map(headerOption)
  const isField = ([name]: readonly [name: string, ...rest: readonly unknown[]]): boolean =>
    /^authorization$/i.test(name)
  const item = built === undefined ? undefined : [...request.headers].find(isField)
  refuseTwoCredentials(args, built?.credentials, options.find(isField) ?? item)
  const fields = fieldsOf(options.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const leftOut = leftOutNames(
    options.flatMap(([name, value]) => (value === undefined ? [name] : [])),
    request,
  )
  const { body } = request
  const framed =
    body !== undefined && wantsChunks(fields)
      ? request.withBody(inChunks({ contentType: undefined, open: () => body }))
      : request
  const changed = (fields.length === 0 ? framed : framed.withHeaders(fields)).withoutHeaders(...leftOut)
  const bearer = args.value('bearer')
  if (bearer !== undefined) {
    const token = (await readSecret(bearer, context)).trim()
    if (token === '') {
      throw new UsageError('-B/--bearer has an empty token', {
        hint: 'Check the file or the variable that it comes from',
      })
    }
    const [[, value] = ['', '']] = fieldsOf([['Authorization', `Bearer ${token}`]])
    return { request: changed.withHeader('Authorization', value), digest: undefined }
  }
  const user = args.value('user')
  const credentials = user === undefined ? built?.credentials : credentialsOf(await readSecret(user, context))
  if (credentials === undefined) {
    if (!args.has('digest')) return withoutShortForm(changed)
    throw new UsageError('--digest is given without user and password', { hint: 'Add -u <user:password>' })
  }
  if (args.has('digest')) return { request: changed, digest: credentials }
  return { request: changed.withHeader('Authorization', basicAuthorization(credentials)), digest: undefined }
}

/**
 * Refuses a header on the command line that the credentials would replace. A header in the text of the request is
 * replaced.
 * @throws UsageError
 */
function refuseTwoCredentials(
  args: CommandContext<SendValues>['arguments'],
  fromUrl: Credentials | undefined,
  field: readonly [name: string, ...rest: readonly unknown[]] | undefined,
): void {
  const option = args.has('bearer') ? '-B/--bearer' : args.has('user') ? '-u/--user' : undefined
  const other = option ?? (fromUrl === undefined ? undefined : 'the user of the URL')
  if (field === undefined || other === undefined) return
  throw new UsageError(`${other} and the header ${field[0]} cannot be used together`, { hint: 'Give only one of them' })
}

/** Either of the two may be empty: some services take a token as the password of no user. */
function credentialsOf(text: string): Credentials {
  const colon = text.indexOf(':')
  if (colon >= 0 && text !== ':') return { user: text.slice(0, colon), password: text.slice(colon + 1) }
  throw new UsageError(
    `-u/--user has no ${colon === 0 ? 'user before, and no password after,' : 'password after'} a colon: expected user:password`,
    {
      hint: 'To keep it off the command line, write -u @<file> or -u env:<name>',
    },
  )
}

/** Replaces `Basic user password`, as written in request files. */
function withoutShortForm(request: HttpRequest): AuthorizedRequest {
  const value = request.headers.first('authorization')
  const short = value === undefined ? undefined : shortAuthorization(Buffer.from(value, 'latin1').toString('utf8'))
  if (short === undefined) return { request, digest: undefined }
  if (short.scheme === 'digest') {
    return { request: request.withoutHeaders('Authorization'), digest: short.credentials }
  }
  return { request: request.withHeader('Authorization', basicAuthorization(short.credentials)), digest: undefined }
}
