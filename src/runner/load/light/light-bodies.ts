/**
 * The entry point of the part of the light runtime with bodies that the exporter cannot write as code: their type is in
 * a variable, or their structure depends on values.
 *
 * Rules: as in request/request-body.ts, from the same functions. A body of texts stays text, which k6 encodes.
 */
import { parseTemplate, templateLines } from '../../../http-file/index.ts'
import { type BodyValues, bodyText, isForm, jsonText } from '../../request/body-text.ts'
import { decodeText, encodeText } from '../../request/charset.ts'
import { graphqlBody } from '../../request/graphql-body.ts'
import { type MediaType, parseMediaType } from '../../request/media-type.ts'
import { frameMultipart, type MultipartItem, multipartLine } from '../../request/multipart-body.ts'
import { joinedBytes } from './light-multipart.ts'
import type { LightContext } from './light-parts.ts'
import type { LightContent, LightRequest } from './light-request.ts'

export interface LightBodies {
  /** The body as sent. @throws Error */
  readonly body: (request: LightRequest) => string | ArrayBuffer
}

interface Text {
  readonly text: string
  readonly charset: string | undefined
}

export function create({ part, v }: LightContext): LightBodies {
  const values: BodyValues = {
    render: ({ parts }) => parts.map((each) => (each.type === 'text' ? each.text : v(each.expression))).join(''),
    resolve: (expression, _span, { allowsNull = false } = {}) => part('values').resolved(expression, allowsNull),
  }
  return {
    body: ({ headers, contents = [], isGraphql = false, keepsForm = false }) => {
      const type = parseMediaType(headers['Content-Type'] ?? '')
      if (isGraphql) return graphql(contents, values)
      const framed = type.name.startsWith('multipart/') ? multipart(contents, type, values) : undefined
      if (framed !== undefined) return encoded(framed)
      const pieces = contents.map((content): Text | ArrayBuffer => {
        if (content instanceof ArrayBuffer) return content
        const isEncodedForm = !keepsForm && typeof content === 'string' && isForm(type)
        const text = bodyText(templateOf(content), { type, isEncodedForm }, values)
        return { text, charset: isMultipart(type) ? undefined : type.charset }
      })
      return encoded(
        pieces.flatMap((piece, index) => (index === 0 ? [piece] : [{ text: '\n', charset: 'utf-8' }, piece])),
      )
    },
  }
}

function isMultipart({ name }: MediaType): boolean {
  return name.startsWith('multipart/')
}

function templateOf(content: Exclude<LightContent, ArrayBuffer>): ReturnType<typeof parseTemplate> {
  return parseTemplate(typeof content === 'string' ? content : content.template)
}

function graphql(contents: readonly LightContent[], values: BodyValues): string {
  const texts = contents.map((content) =>
    content instanceof ArrayBuffer
      ? decodeText(new Uint8Array(content), 'utf-8')
      : jsonText(templateOf(content), values),
  )
  return graphqlBody(texts.join('\n'))
}

/** Undefined if no line is a delimiter. */
function multipart(
  contents: readonly LightContent[],
  { boundary }: MediaType,
  values: BodyValues,
): readonly (Text | ArrayBuffer)[] | undefined {
  const items = contents.flatMap((content): readonly MultipartItem<ArrayBuffer>[] => {
    if (content instanceof ArrayBuffer) return [{ content }]
    return templateLines(templateOf(content)).map((line) => multipartLine(line, values))
  })
  if (boundary === undefined) throw new Error('Content-Type of a multipart body has no boundary')
  const framed = frameMultipart(items, boundary, (_place, message) => {
    throw new Error(message)
  })
  return framed?.map((piece) => ('content' in piece ? piece.content : piece))
}

function encoded(pieces: readonly (Text | ArrayBuffer)[]): string | ArrayBuffer {
  const texts = pieces.flatMap((piece) => (piece instanceof ArrayBuffer || !isUtf8(piece) ? [] : piece.text))
  if (texts.length === pieces.length) return texts.join('')
  return joinedBytes(
    pieces.map((piece) => {
      return piece instanceof ArrayBuffer ? piece : encodeText(piece.text, piece.charset ?? 'utf-8')
    }),
  )
}

function isUtf8({ charset }: Text): boolean {
  return /^utf-?8$/i.test(charset ?? 'utf-8')
}
