/**
 * Builds a request from a URL and items on the command line.
 *
 * Rules: the method is POST with a body, otherwise GET. Only Host, the framing and the type of a body built from items
 * are added; -b and -g set the body, as for a text.
 */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HttpRequest, type MessageBody, StringBody } from '../../../message/index.ts'
import type { Credentials } from '../../../wire/index.ts'
import type { CommandContext } from '../../frame/command.ts'
import { UsageError } from '../../frame/usage-error.ts'
import type { SendValues } from '../../options/send.ts'
import { fieldsOf, inChunks, wantsChunks } from '../building/header-options.ts'
import { type Item, parseItem } from '../building/item.ts'
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
  if (args.has('remote-name')) refuseFileName(words)
  const items = words.map(parseItem)
  refuseFileOfHeader(items, workingDirectory)
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
  const hasLength =
    content === undefined && needsLength(method, [...fields.map(([name]) => name), ...args.values('header')])
  const request = new HttpRequest({
    method: method ?? (content === undefined ? 'GET' : 'POST'),
    url,
    headers: hasLength ? [...fields, ['Content-Length', '0']] : fields,
    body: content ?? null,
  })
  return { request, body, credentials }
}

/**
 * Whether a missing body is sent with length 0 (RFC 9110 section 8.6); some servers refuse a request without a length
 * (411).
 * @param lines fields as `Name: value` or names only, of items and of -H
 */
function needsLength(method: string | undefined, lines: readonly string[]): boolean {
  const isExpected = method === 'POST' || method === 'PUT' || method === 'PATCH'
  return isExpected && !lines.some((line) => /^\s*(?:content-length|transfer-encoding)\s*(?:[:;]|$)/i.test(line))
}

/** In Wget, -O takes the name of the file. @throws UsageError */
function refuseFileName(words: readonly string[]): void {
  const name = words.find((word) => /^[^\s:=@;]+$/.test(word))
  if (name === undefined) return
  throw new UsageError(`-O/--remote-name takes the name from the URL, and "${name}" is not part of a request`, {
    hint: `Write -o ${name} for a file of this name`,
  })
}

/**
 * Refuses `Name:@file` and `name==@file`, which HTTPie replaces by the content of the file, if there is such a file.
 * @throws UsageError
 */
function refuseFileOfHeader(items: readonly Item[], workingDirectory: string): void {
  for (const { kind, name, value, word } of items) {
    const isHeader = kind === 'header'
    if ((!isHeader && kind !== 'query') || !/^@./.test(value)) continue
    const file = value.slice(1)
    const path = resolve(workingDirectory, file)
    if (!existsSync(path) || statSync(path).isDirectory()) continue
    const separator = isHeader ? ':' : '=='
    const literal = isHeader ? `-H '${name}: ${value}'` : `?${name}=${value} in the URL`
    throw new UsageError(`"${word}" would send the text ${value}, not the content of that file`, {
      hint: `Write ${name}${separator}"$(cat ${file})" for the content; ${literal} sends the text`,
    })
  }
}

async function contentOf(body: ItemBody, hasType: boolean, makeBoundary: () => string): Promise<MessageBody> {
  if (body.type === 'file') return fileBody(body.path, hasType, body.contentType)
  if (body.type === 'text') return new StringBody(body.text, hasType ? undefined : body.contentType)
  if (hasType) {
    throw new UsageError('a body with files has its own Content-Type, with the boundary between its parts', {
      hint: 'Leave Content-Type out',
    })
  }
  const { multipartBody } = await import('../building/multipart-body.ts')
  return multipartBody(body.parts, makeBoundary())
}
