/**
 * The body parts of a request to a body that can be sent.
 *
 * Rules: typed lines are encoded in the charset of Content-Type, UTF-8 without one; files go byte for byte and are
 * read while they are sent, so that their size does not matter. Parts are joined by LF. Forms are encoded by
 * form-body.ts; in JSON a dynamic text that stands bare gets its quotes. Paths are relative to the request file.
 */
import { isAbsolute, join } from 'node:path'
import { type BodyFileNode, type BodyTextNode, joinTemplates, type Request, type Template } from '../http-file/index.ts'
import { BytesBody, concatBytes, HttpcliError, type MessageBody } from '../message/index.ts'
import type { FileBody } from '../message-node/index.ts'
import { errorAt, type SourceText } from './errors.ts'
import { encodeForm } from './form-body.ts'
import type { ResolvedValue, Variables } from './variables.ts'

export interface BodyContext {
  readonly source: SourceText
  /** Where relative paths begin. */
  readonly directory: string
  readonly variables: Variables
  /** The Content-Type that is sent, '' without one. */
  readonly contentType: string
}

/** The body; undefined where there is none. @throws HttpcliError with the place in the request file. */
export async function requestBody(request: Request, context: BodyContext): Promise<MessageBody | undefined> {
  if (request.body.length === 0) return undefined
  const renderer = rendererFor(context)
  const bodies: (Uint8Array | FileBody)[] = []
  for (const part of joinedTexts(request.body))
    bodies.push(part.kind === 'body-text' ? renderer(part) : await fileBody(part, context))
  const [only] = bodies
  if (only !== undefined && bodies.length === 1) return only instanceof Uint8Array ? new BytesBody(only) : only
  return new JoinedBody(bodies)
}

/** A comment line parts the nodes of a text, not the text. */
function joinedTexts(parts: Request['body']): Request['body'] {
  const joined: (BodyTextNode | BodyFileNode)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'body-text' && last?.kind === 'body-text')
      joined[joined.length - 1] = { ...last, template: joinTemplates([last.template, part.template], '\n') }
    else joined.push(part)
  }
  return joined
}

type Renderer = (part: BodyTextNode) => Uint8Array

function rendererFor({ contentType, variables, source }: BodyContext): Renderer {
  const mimeType = (contentType.split(';')[0] as string).trim().toLowerCase()
  if (mimeType.startsWith('multipart/')) {
    return (part) => {
      const message = 'multipart bodies typed into the request file are not supported yet'
      throw errorAt(source, part.span, { code: 'not-supported', message })
    }
  }
  const render =
    mimeType === 'application/x-www-form-urlencoded' ? formText : /[/+]json$/.test(mimeType) ? jsonText : plainText
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  return (part) => encodeText(render(part.template, variables), charset, part, source)
}

function plainText(template: Template, variables: Variables): string {
  return variables.render(template)
}

function formText(template: Template, variables: Variables): string {
  return encodeForm(
    template.parts.map((part) =>
      part.type === 'text'
        ? { text: part.text, isValue: false }
        : { text: variables.resolve(part.expression, part.span).text, isValue: true },
    ),
  )
}

/** A dynamic text outside of quotes gets them; a number, and whatever the user defined, stays bare. */
function jsonText(template: Template, variables: Variables): string {
  let isInString = false
  let text = ''
  for (const part of template.parts) {
    if (part.type === 'text') {
      for (const [token] of part.text.matchAll(/\\.|"/gs)) if (token === '"') isInString = !isInString
      text += part.text
    } else {
      const value: ResolvedValue = variables.resolve(part.expression, part.span)
      text += value.isDynamicText && !isInString ? JSON.stringify(value.text) : value.text
    }
  }
  return text
}

/** How many characters a charset has: U+0000 to there, one octet each. */
const singleOctetCharsets: Readonly<Record<string, number>> = {
  'us-ascii': 0x80,
  ascii: 0x80,
  'iso-8859-1': 0x100,
  latin1: 0x100,
}

function encodeText(text: string, charset: string, part: BodyTextNode, source: SourceText): Uint8Array {
  const name = charset.toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return Buffer.from(text, 'utf8')
  if (name === 'utf-16le') return Buffer.from(text, 'utf16le')
  const size = Object.hasOwn(singleOctetCharsets, name) ? singleOctetCharsets[name] : undefined
  if (size === undefined) {
    const message = `the charset ${JSON.stringify(charset)} of Content-Type is not one that a body can be written in`
    throw errorAt(source, part.span, { code: 'invalid-request', message, hint: 'Use utf-8, or send a file: < path.' })
  }
  const foreign = [...text].find((character) => (character.codePointAt(0) as number) >= size)
  if (foreign !== undefined) {
    const message = `${JSON.stringify(foreign)} cannot be written in ${charset}, the charset of Content-Type`
    throw errorAt(source, part.span, { code: 'invalid-request', message })
  }
  return Buffer.from(text, 'latin1')
}

async function fileBody(part: BodyFileNode, { source, directory, variables }: BodyContext): Promise<FileBody> {
  const { FileBody } = await import('../message-node/index.ts')
  const path = variables.render(part.path)
  try {
    return new FileBody(isAbsolute(path) ? path : join(directory, path))
  } catch (cause) {
    if (!(cause instanceof HttpcliError)) throw cause
    throw errorAt(source, part.pathSpan, { code: 'unreadable-file', message: cause.message, cause })
  }
}

const LF = Uint8Array.of(0x0a)

/** Text and files one behind the other, LF between them. */
class JoinedBody implements MessageBody {
  readonly contentLength: number | undefined
  readonly #bodies: readonly (Uint8Array | FileBody)[]

  constructor(bodies: readonly (Uint8Array | FileBody)[]) {
    this.#bodies = bodies
    const lengths = bodies.map((body) => (body instanceof Uint8Array ? body.length : body.contentLength))
    this.contentLength = lengths.reduce<number | undefined>(
      (sum, length) => (sum === undefined || length === undefined ? undefined : sum + length),
      bodies.length - 1,
    )
  }

  async *open(): AsyncGenerator<Uint8Array> {
    for (const [index, body] of this.#bodies.entries()) {
      const lead = index === 0 ? [] : [LF]
      if (body instanceof Uint8Array) {
        yield concatBytes([...lead, body])
      } else {
        yield* lead
        yield* body.open()
      }
    }
  }
}
