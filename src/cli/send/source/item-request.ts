/**
 * Builds a request from a URL and items on the command line.
 *
 * Rules: the method is POST with a body, otherwise GET. Only Host, the framing and the type of a body built from items
 * are added; -b and -g set the body, as for a text.
 */
import { HttpRequest, type MessageBody, StringBody } from '../../../message/index.ts'
import type { Credentials } from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { SendValues } from '../../options/send.ts'
import { fieldsOf, inChunks, wantsChunks } from '../building/header-options.ts'
import { parseItem } from '../building/item.ts'
import { type ItemBody, itemBody } from '../building/item-body.ts'
import { type RequestLineWords, requestUrl } from '../building/request-line.ts'
import { fileBody, optionBody } from './option-body.ts'

export interface BuiltRequest {
  readonly request: HttpRequest
  /** The body built from items, for saving it in a request file. */
  readonly body: ItemBody | undefined
  /** User and password of the URL. */
  readonly credentials: Credentials | undefined
}

/** @param makeBoundary returns a text of letters and digits that occurs in no file */
export async function itemRequest(
  context: CommandContext<SendValues>,
  { method, url: word, items: words }: RequestLineWords,
  makeBoundary: () => string,
): Promise<BuiltRequest> {
  const { arguments: args, workingDirectory } = context
  const items = words.map(parseItem)
  const named = (kind: 'query' | 'header') =>
    items.filter((item) => item.kind === kind).map(({ name, value }) => [name, value] as const)
  const { url, credentials } = await requestUrl(word, named('query'), args.has('https') ? 'https' : 'http')
  const body = await itemBody(items, { isForm: args.has('form'), workingDirectory })
  const fields = fieldsOf(named('header'))
  const hasNoType = items.some(({ kind }) => kind === 'no-type')
  const hasType = hasNoType || fields.some(([name]) => /^content-type$/i.test(name))
  const optional = await optionBody(context, hasType)
  if (body !== undefined && optional !== undefined) {
    throw new UsageError('the items make a body, and -b or -g gives another one', { hint: 'Give only one of them' })
  }
  const whole = optional ?? (body === undefined ? undefined : await contentOf(body, hasType, makeBoundary))
  const content = whole !== undefined && wantsChunks(fields) ? inChunks(whole) : whole
  const request = new HttpRequest({
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    url,
    headers: fields,
    body: content ?? null,
  })
  return { request, body, credentials }
}

async function contentOf(body: ItemBody, hasType: boolean, makeBoundary: () => string): Promise<MessageBody> {
  if (body.type === 'file') return fileBody(body.path, hasType)
  if (body.type === 'text') return new StringBody(body.text, hasType ? undefined : body.contentType)
  if (hasType) {
    throw new UsageError('a body with files has its own Content-Type, with the boundary between its parts', {
      hint: 'Leave Content-Type out',
    })
  }
  const { multipartBody } = await import('../building/multipart-body.ts')
  return multipartBody(body.parts, makeBoundary())
}
