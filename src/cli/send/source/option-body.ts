/**
 * The body of -b or -g.
 *
 * Rules: a file is read while it is sent, and its type follows from its name; a pipe can be read only once. Standard
 * input is read for at most a second before sending: input that has ended by then is sent with its length, which every
 * server accepts. Longer input, such as a log that is followed, is sent in chunks as it is read. A terminal is read to
 * the end of its input.
 */
import { resolve } from 'node:path'
import { BytesBody, type MessageBody, StringBody } from '../../../message/index.ts'
import { CliError } from '../../frame/cli-error.ts'
import type { CommandContext } from '../../frame/command.ts'
import type { SendValues } from '../../options/send.ts'
import { beginning, sourcePieces } from './request-source.ts'

/** Undefined if neither option is given. @param hasType whether the message already has a type */
export async function optionBody(
  context: CommandContext<SendValues>,
  hasType: boolean,
): Promise<MessageBody | undefined> {
  const { arguments: args, workingDirectory } = context
  const text = args.value('body-text')
  if (text !== undefined) return new StringBody(text)
  const file = args.value('body-file')
  if (file === undefined) return undefined
  return file === '-' ? inputBody(context) : fileBody(resolve(workingDirectory, file), hasType)
}

/**
 * The content of a file.
 * @param path absolute
 * @param hasType whether the message already has a type
 * @param contentType a type other than that of the file's name
 */
export async function fileBody(path: string, hasType: boolean, contentType?: string): Promise<MessageBody> {
  const { FileBody } = await import('../../../message-node/index.ts')
  const { contentTypeOf } = await import('../building/content-types.ts')
  const body = new FileBody(path, hasType ? undefined : (contentType ?? contentTypeOf(path)))
  return body.contentLength === undefined ? readOnce(body) : body
}

const READ_FIRST_MS = 1000

/** Standard input. */
async function inputBody({ stdin }: CommandContext<SendValues>): Promise<MessageBody> {
  const source = await beginning(undefined, stdin, { limitMs: stdin.isTTY === true ? undefined : READ_FIRST_MS })
  if (source.rest === undefined) return new BytesBody(source.first)
  return readOnce({ open: () => sourcePieces(source) })
}

/** A pipe is consumed by reading: a redirect that repeats the body must not send an empty one, or wait forever. */
function readOnce(body: MessageBody): MessageBody {
  let isRead = false
  return {
    contentType: body.contentType,
    contentLength: undefined,
    open: () => {
      if (isRead) throw new CliError('body-used', 'the body comes from a pipe, which can be read only once')
      isRead = true
      return body.open()
    },
  }
}
