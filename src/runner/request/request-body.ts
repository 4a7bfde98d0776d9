/**
 * Builds the body of a request from its parts.
 *
 * Rules: typed lines are encoded in the charset of Content-Type, by default UTF-8; files are sent byte for byte and
 * read while they are sent, so that their size does not matter; `<@` files are text with variables. Parts are joined by
 * LF. Texts are made by body-text.ts, multipart framed by multipart-body.ts, GraphQL wrapped by graphql-body.ts. Paths
 * are relative to the request file.
 */
import {
  type BodyFileNode,
  type BodyTextNode,
  joinTemplates,
  type MessageNode,
  parseTemplate,
  type Request,
  type Span,
  type Template,
  templateLines,
} from '../../http-file/index.ts'
import { BytesBody, type HttpcliError, type MessageBody } from '../../message/index.ts'
import { placed } from '../base/errors.ts'
import { ConfinedBody } from '../files/confined-body.ts'
import { type ConfinedFiles, unreadable } from '../files/confined-files.ts'
import { bodyText, isForm, jsonText } from './body-text.ts'
import { decodeText, encodeText } from './charset.ts'
import { graphqlBody } from './graphql-body.ts'
import { type Content, JoinedBody } from './joined-body.ts'
import type { MediaType } from './media-type.ts'
import { frameMultipart, type MultipartItem, type MultipartPiece, multipartLine } from './multipart-body.ts'
import type { RequestContext } from './request-context.ts'

type BodyNode = BodyTextNode | BodyFileNode

/** The body, and the text that scripts see of it, if any. */
export interface RequestBody {
  readonly body: MessageBody
  readonly text: string
}

/** The properties of the head that affect the body. */
export interface BodyForm {
  readonly type: MediaType
  /** False leaves a form as typed. */
  readonly shouldEncode: boolean
  readonly isGraphql: boolean
}

/**
 * The body, or undefined.
 * @throws HttpcliError with the place in the request file
 */
export async function requestBody(
  context: RequestContext,
  { type, shouldEncode, isGraphql }: BodyForm,
): Promise<RequestBody | undefined> {
  const { request } = context
  const parts = joinedTexts(request.body)
  const [first] = parts
  if (first === undefined) {
    if (!isGraphql) return undefined
    const message = 'expected a GraphQL query in the body'
    throw context.error(request.line.span, { code: 'invalid-request', message })
  }
  const reader = new BodyReader(context, type, shouldEncode)
  if (isGraphql) return reader.graphql(parts, first.span)
  if (type.name.startsWith('multipart/')) return reader.multipart(parts, first.span)
  const pieces = await inOrder(parts, (part) => reader.piece(part))
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('\n')
  const encoded = pieces.map((piece, index) => reader.encoded(piece, type.charset, (parts[index] as BodyNode).span))
  return { body: bodyOf(encoded, true), text }
}

/** The content of a WebSocket message: text, or bytes if it is not text. @throws as `requestBody`. */
export async function messageContent(
  message: MessageNode,
  context: RequestContext,
  type: MediaType,
): Promise<string | Uint8Array> {
  const reader = new BodyReader(context, type, true)
  const parts = joinedTexts(message.body)
  const texts = await inOrder(parts, async (part) => (isPlainFile(part) ? reader.octets(part) : reader.text(part)))
  if (texts.every((text) => typeof text === 'string')) return texts.join('\n')
  const octets = Buffer.concat(texts.flatMap((text, index) => [...(index === 0 ? [] : ['\n']), text].map(toBuffer)))
  const whole = octets.toString('utf8')
  return Buffer.from(whole, 'utf8').equals(octets) ? whole : octets
}

/**
 * The body as far as it is known, its parts joined by LF: forms as typed, files as the lines that name them.
 * @throws as `requestBody`, except for files
 */
export async function draftBody(context: RequestContext, type: MediaType): Promise<string> {
  const reader = new BodyReader(context, type, false)
  const texts = await inOrder(joinedTexts(context.request.body), async (part) => {
    return part.kind === 'body-text' ? reader.text(part) : bodyFileLine(part, (path) => context.variables.render(path))
  })
  return texts.join('\n')
}

/** A file in a body, as the request file names it. */
export function bodyFileLine({ path, substitutes, charset }: BodyFileNode, show: (path: Template) => string): string {
  return `<${substitutes ? `@${charset ?? ''}` : ''} ${show(path)}`
}

/** @throws HttpcliError with the place, for a file that cannot be read */
export function bodyFile(part: BodyFileNode, context: RequestContext): ConfinedBody {
  return opened(part, context, (path, files) => new ConfinedBody(path, files))
}

function opened<Result>(
  { path, pathSpan }: BodyFileNode,
  context: RequestContext,
  open: (path: string, files: ConfinedFiles) => Result,
): Result {
  const absolute = context.variables.pathOf(path)
  try {
    return open(absolute, context.variables.files)
  } catch (cause) {
    throw placed(unreadable(`the file ${absolute}`, cause), context.at(pathSpan))
  }
}

/** Sequentially, because random values are drawn in the order of the text. */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  action: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await action(item))
  return results
}

function toBuffer(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data
}

/** A comment line splits a text into nodes, although the text that is sent is continuous. */
function joinedTexts(parts: Request['body']): readonly BodyNode[] {
  const joined: BodyNode[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'body-text' && last?.kind === 'body-text')
      joined[joined.length - 1] = { ...last, template: joinTemplates([last.template, part.template], '\n') }
    else joined.push(part)
  }
  return joined
}

function isPlainFile(part: BodyNode): part is BodyFileNode {
  return part.kind === 'body-file' && !part.substitutes
}

function bodyOf(contents: readonly Content[], isJoinedByLf: boolean): MessageBody {
  const [only] = contents
  if (only !== undefined && contents.length === 1) return only instanceof Uint8Array ? new BytesBody(only) : only
  return new JoinedBody(contents, isJoinedByLf)
}

class BodyReader {
  readonly #context: RequestContext
  readonly #type: MediaType
  readonly #shouldEncodeForm: boolean

  /** @param shouldEncode false leaves a form as typed */
  constructor(context: RequestContext, type: MediaType, shouldEncode: boolean) {
    this.#context = context
    this.#type = type
    this.#shouldEncodeForm = shouldEncode && isForm(type)
  }

  async piece(part: BodyNode): Promise<string | ConfinedBody> {
    return isPlainFile(part) ? bodyFile(part, this.#context) : this.text(part)
  }

  /** A typed text, or the text of a file with variables. */
  async text(part: BodyNode): Promise<string> {
    const template = await this.#template(part)
    const isEncodedForm = part.kind === 'body-text' && this.#shouldEncodeForm
    return bodyText(template, { type: this.#type, isEncodedForm }, this.#context.variables)
  }

  encoded(piece: string | ConfinedBody, charset: string | undefined, span: Span): Content {
    if (typeof piece !== 'string') return piece
    return this.#context.within(span, () => encodeText(piece, charset ?? 'utf-8'))
  }

  async multipart(parts: readonly BodyNode[], span: Span): Promise<RequestBody> {
    const found = await inOrder(parts, async (part): Promise<readonly MultipartItem<ConfinedBody>[]> => {
      return isPlainFile(part) ? [{ content: bodyFile(part, this.#context) }] : this.#lines(part)
    })
    const items = found.flat()
    const { boundary } = this.#type
    if (boundary === undefined) throw this.#noBoundary(items, span)
    const framed = this.#framed(items, boundary, span)
    if (framed === undefined) {
      const pieces = await inOrder(parts, (part) => this.piece(part))
      const text = pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('\n')
      return {
        body: bodyOf(
          pieces.map((piece) => this.encoded(piece, undefined, span)),
          true,
        ),
        text,
      }
    }
    const contents = framed.map((piece) =>
      'content' in piece ? piece.content : this.encoded(piece.text, piece.charset, span),
    )
    return { body: bodyOf(contents, false), text: framed.map((piece) => ('text' in piece ? piece.text : '')).join('') }
  }

  /** The pieces to send. @throws HttpcliError at the variable that is invalid; otherwise at `span` */
  #framed(
    items: readonly MultipartItem<ConfinedBody>[],
    boundary: string,
    span: Span,
  ): readonly MultipartPiece<ConfinedBody>[] | undefined {
    try {
      return frameMultipart(items, boundary, (at, message, hint) => {
        throw this.#context.error(at, { code: 'invalid-request', message, hint })
      })
    } catch (error) {
      throw placed(error, this.#context.at(span))
    }
  }

  async #lines(part: BodyNode): Promise<readonly MultipartItem<ConfinedBody>[]> {
    return templateLines(await this.#template(part)).map((typed) => multipartLine(typed, this.#context.variables))
  }

  async graphql(parts: readonly BodyNode[], span: Span): Promise<RequestBody> {
    const texts = await inOrder(parts, async (part) => {
      if (isPlainFile(part)) return this.#decoded(part, 'utf-8')
      return jsonText(await this.#template(part), this.#context.variables)
    })
    const body = this.#context.within(span, () => graphqlBody(texts.join('\n')))
    return { body: bodyOf([Buffer.from(body, 'utf8')], false), text: body }
  }

  /** The bytes of a file that must be read completely. */
  octets(part: BodyFileNode): Uint8Array {
    return opened(part, this.#context, (path, files) => files.read(path))
  }

  #decoded(part: BodyFileNode, charset: string): string {
    const octets = this.octets(part)
    return this.#context.within(part.span, () => decodeText(octets, charset))
  }

  /** A typed body, or a file with variables: errors in such a file are reported at the line that names it. */
  async #template(part: BodyNode): Promise<Template> {
    if (part.kind === 'body-text') return part.template
    const text = this.#decoded(part, part.charset ?? 'utf-8')
    const parts = parseTemplate(text).parts.map((each) => ('span' in each ? { ...each, span: part.pathSpan } : each))
    await this.#context.variables.load([{ parts }])
    return { parts }
  }

  #noBoundary(items: readonly MultipartItem<ConfinedBody>[], span: Span): HttpcliError {
    const line = items.find((item) => 'line' in item && item.line.startsWith('--'))
    const written = line !== undefined && 'line' in line ? line.line.slice(2).trim() : 'boundary'
    return this.#context.error(span, {
      code: 'invalid-request',
      message: 'Content-Type of a multipart body has no boundary',
      hint: `Write "Content-Type: ${this.#type.name}; boundary=${written}".`,
    })
  }
}
