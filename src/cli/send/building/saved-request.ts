/**
 * --save: writes the request as a request file for `run`.
 *
 * Rules: the file is written before anything is sent, and never replaces an existing file. A body from a file stays in
 * that file; bytes that are not text go to a separate file beside the request file.
 */
import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { requestFileOf, type SentBody } from '../../../convert/index.ts'
import type { HttpRequest } from '../../../message/index.ts'
import { basicAuthorization, basicCredentials, type Credentials, shortAuthorization } from '../../../wire/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { SendValues } from '../../options/send.ts'
import { writeFiles } from '../../streams/file-set.ts'
import type { OutgoingRequest } from '../outgoing-request.ts'

/** Fields that are computed from the rest of the request. */
const ownFields: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])

/**
 * @returns the request to send: its body has been read if the request file contains it
 * @throws UsageError; HttpcliError `output-exists`, `output-failed`; errors of reading the body.
 */
export async function saveRequest(
  context: CommandContext<SendValues>,
  { request, digest, itemBody }: OutgoingRequest,
  shouldFollowRedirects: boolean,
): Promise<HttpRequest> {
  const { arguments: args, workingDirectory, stderr } = context
  const shown = args.value('save') ?? ''
  if (shown === '-') {
    throw new UsageError('--save needs the name of a file, found "-"', {
      hint: 'Write it as --save api.http; --offline prints the request',
    })
  }
  const path = resolve(workingDirectory, shown)
  const saved = await savedBody(context, request, itemBody, dirname(path))
  const { body } = saved
  const written = requestFileOf({
    method: request.method,
    url: (request.url as URL).origin + originForm(request),
    headers: savedFields(request, digest, body),
    body,
    followsRedirects: shouldFollowRedirects,
  })
  const [loss] = written.losses
  if (loss !== undefined) throw new CliError('save-failed', `${shown} cannot represent ${loss.message}`)
  const companionName = (name: string): string => `${basename(path).replace(/\.[^.]*$/, '')}-${name}`
  const text = written.companions.reduce(
    (whole, { name }) => whole.replaceAll(`./${name}`, () => `./${companionName(name)}`),
    written.text,
  )
  const files = [
    { path, octets: Buffer.from(text, 'utf8') },
    ...written.companions.map(({ name, octets }) => ({ path: join(dirname(path), companionName(name)), octets })),
  ]
  const existing = files.find((file) => existsSync(file.path))
  if (existing !== undefined) {
    throw new CliError('output-exists', `--save: the file ${existing.path === path ? shown : existing.path} exists`, {
      hint: 'Choose another name, or delete it',
    })
  }
  await writeFiles(files)
  await stderr.write(`note: the request is in ${shown}; send it again with: httpcli run ${shown}\n`)
  return saved.request
}

/** As written: a URL object would normalise it. */
function originForm({ target, form }: HttpRequest): string {
  if (form === 'asterisk') throw new CliError('save-failed', 'a request file cannot represent OPTIONS *')
  const path = form === 'absolute' ? target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '') : target
  return path.startsWith('/') ? path : `/${path}`
}

function savedFields(
  { headers, url }: HttpRequest,
  digest: Credentials | undefined,
  body: SentBody | undefined,
): readonly (readonly [string, string])[] {
  const fields = [...headers]
    .filter(([name, value]) => {
      const lower = name.toLowerCase()
      const isImpliedByUrl = lower === 'host' && value === url?.host
      const isOfParts = lower === 'content-type' && body?.type === 'multipart'
      return !ownFields.has(lower) && !isImpliedByUrl && !isOfParts
    })
    .map(([name, value]) => [name, savedValue(name, Buffer.from(value, 'latin1').toString('utf8'))] as const)
  return digest === undefined ? fields : [...fields, ['Authorization', shortDigest(digest)]]
}

/** @throws HttpcliError `save-failed` */
function shortDigest({ user, password }: Credentials): string {
  const text = `Digest ${user} ${password}`
  const read = shortAuthorization(text)?.credentials
  if (read?.user === user && read.password === password && password === password.trim()) return text
  throw new CliError('save-failed', 'a request file cannot represent --digest with this user or password', {
    hint: 'Its form is "Digest user password", where the user has no space, "=" and ","',
  })
}

/** Credentials in the short form of request files. */
function savedValue(name: string, value: string): string {
  const credentials = name.toLowerCase() === 'authorization' ? basicCredentials(value) : undefined
  // Credentials in a charset other than UTF-8 stay as they are.
  const isSafe =
    credentials !== undefined &&
    basicAuthorization(credentials).slice(5) === value.slice(5).replace(/^ +/, ' ') &&
    /^\S+$/.test(credentials.user) &&
    /^\S(?:.*\S)?$/.test(credentials.password)
  return isSafe ? `Basic ${credentials.user} ${credentials.password}` : value
}

async function savedBody(
  { arguments: args, workingDirectory }: CommandContext<SendValues>,
  request: HttpRequest,
  itemBody: OutgoingRequest['itemBody'],
  directory: string,
): Promise<{ readonly request: HttpRequest; readonly body: SentBody | undefined }> {
  const pathFrom = (path: string): string => {
    const way = relative(directory, path).split(sep).join('/')
    return way.startsWith('..') ? way : `./${way}`
  }
  const file = args.value('body-file')
  if (file !== undefined && file !== '-')
    return { request, body: { type: 'file', path: pathFrom(resolve(workingDirectory, file)) } }
  if (itemBody?.type === 'file') return { request, body: { type: 'file', path: pathFrom(itemBody.path) } }
  if (itemBody?.type === 'multipart') {
    const parts = itemBody.parts.map((part) =>
      'path' in part.content ? { ...part, content: { path: pathFrom(part.content.path) } } : part,
    )
    return { request, body: { type: 'multipart', parts } }
  }
  const eager = await request.eagerly()
  return { request: eager, body: eager.content && { type: 'octets', octets: eager.content.bytes } }
}
