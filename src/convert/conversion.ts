/**
 * One whole conversion: text in, texts of files out.
 *
 * The steps for one document: format.ts detects its format, the reader of that format makes drafts (draft/draft.ts),
 * request-file/request-file-writer.ts writes them so that `run` sends exactly the draft, and literal-text.ts protects
 * text that would be read as syntax. curl-writer/ converts the syntax tree to commands, k6-writer/ to a script for k6.
 * A part that cannot be converted is a `Loss`.
 *
 * Rules: does no I/O. Readers of rare formats, and the writer for k6, are loaded when needed. Every source becomes a
 * request file first, and the other targets are written from request files only, so that there is one path to each
 * target.
 */
import { type HttpFile, parseHttpFile, SHARED_ENVIRONMENT, withHostVariables } from '../http-file/index.ts'
import { type CurlSettings, type WrittenCurl, writeCurl } from './curl-writer/writer.ts'
import { jsonText } from './draft/document.ts'
import type { Conversion, Loss, NamedValue } from './draft/draft.ts'
import { ConvertSyntaxError, type SourceText } from './draft/errors.ts'
import { fileNameOf } from './draft/file-name.ts'
import type { SourceFormat, TargetFormat } from './format.ts'
import type { K6Target } from './k6-writer/target.ts'
import { environmentFiles, type WrittenEnvironmentFile } from './request-file/environment-writer.ts'
import { type CompanionFile, type WrittenRequestFile, writeRequestFile } from './request-file/request-file-writer.ts'

export interface ConversionOptions {
  readonly from: SourceFormat
  readonly to: TargetFormat
  /** Whether files next to the result can be written: environments, bodies that are not text. Default false. */
  readonly hasDirectory?: boolean
  /** Values for curl commands, which have no environments. Default: only the values in the source. */
  readonly values?: CurlSettings['values']
  /** For k6 and its operator. */
  readonly k6?: K6Target
}

/** The text is empty if the source has only environments. */
export interface Converted extends WrittenRequestFile {
  /** The title as a file name: letters, digits and dashes; '' if the source has no title. */
  readonly fileName: string
  readonly environmentFiles: readonly WrittenEnvironmentFile[]
}

/** @throws ConvertSyntaxError with the place in the source */
export async function convert(source: SourceText, options: ConversionOptions): Promise<Converted> {
  if (options.from === 'http') return fromHttp(source, [], options)
  const conversion = await readers[options.from](source)
  const { hasDirectory = false, to } = options
  const isInline = !hasDirectory || to !== 'http'
  const file = writeRequestFile(conversion, isInline ? sharedVariables(conversion) : [])
  const fileName = fileNameOf(conversion.title)
  if (to !== 'http') {
    const written = await fromHttp(
      { path: source.path, text: file.text },
      [...conversion.losses, ...file.losses],
      options,
    )
    return { ...written, fileName, companions: file.companions }
  }
  return {
    fileName,
    text: file.text,
    companions: file.companions,
    environmentFiles: hasDirectory || file.text === '' ? environmentFiles(conversion.environments) : [],
    losses: [...conversion.losses, ...file.losses, ...unwritten(conversion, file.companions, options)],
  }
}

const readers: Readonly<Record<Exclude<SourceFormat, 'http'>, (source: SourceText) => Promise<Conversion>>> = {
  curl: async (source) => (await import('./curl/reader.ts')).readCurl(source),
  insomnia: async (source) => (await import('./insomnia/reader.ts')).readInsomnia(source),
  bruno: async (source) => (await import('./bruno/reader.ts')).readBruno(source),
  postman: async (source) => (await import('./postman/reader.ts')).readPostman(source),
  openapi: async (source) => (await import('./openapi/reader.ts')).readOpenApi(source),
  har: async (source) => (await import('./har-reader.ts')).readHar(source),
  hurl: async (source) => (await import('./hurl/reader.ts')).readHurl(source),
}

async function fromHttp(source: SourceText, losses: readonly Loss[], options: ConversionOptions): Promise<Converted> {
  const { file, errors } = parseHttpFile(source.text)
  const [error] = errors
  if (error !== undefined) throw ConvertSyntaxError.at(source, error.span, error.message, error.hint)
  if (options.to === 'http') {
    return { fileName: '', text: source.text, companions: [], environmentFiles: [], losses }
  }
  const written = await writtenFrom(file, options)
  const all = [...losses, ...written.losses]
  return { fileName: '', text: written.text, companions: [], environmentFiles: [], losses: all }
}

async function writtenFrom(source: HttpFile, { to, values, k6 }: ConversionOptions): Promise<WrittenCurl> {
  if (to === 'curl' || k6 === undefined) return writeCurl(withHostVariables(source), { values: values ?? new Map() })
  const { writeTarget } = await import('./k6-writer/target.ts')
  return writeTarget(source, k6, to === 'k6-operator')
}

/** An environment setting that a request file cannot contain. */
const SECURITY = 'Security'

/** Values needed by a request file without environments: those of `$shared`, and of the first environment. */
function sharedVariables({ environments, requests }: Conversion): readonly NamedValue[] {
  if (requests.length === 0) return []
  const shared = environments.find(({ name }) => name === SHARED_ENVIRONMENT)
  const first = environments.find((environment) => environment !== shared)
  const variables = new Map(
    [shared, first].flatMap((environment) => (environment?.variables ?? []).map(({ name, value }) => [name, value])),
  )
  variables.delete(SECURITY)
  return [...variables].map(([name, value]) => ({ name, value: jsonText(value) }))
}

/** Parts that a result without a directory cannot contain. */
function unwritten(
  { environments, requests }: Conversion,
  companions: readonly CompanionFile[],
  { hasDirectory }: ConversionOptions,
): readonly Loss[] {
  if (hasDirectory) return []
  const [, ...others] = environments.filter(({ name }) => name !== SHARED_ENVIRONMENT || requests.length === 0)
  const hasSecurity = environments.some(({ variables }) => variables.some(({ name }) => name === SECURITY))
  return [
    ...companions.map(({ name }) => ({
      place: name,
      message: 'the body is not text: write to a file or directory with -o',
    })),
    ...(requests.length === 0 ? [] : others).map(({ name }) => ({
      place: `environment ${name}`,
      message: 'its values: write to a directory with -o',
    })),
    ...(hasSecurity ? [{ place: 'OAuth 2', message: 'its settings: write to a directory with -o' }] : []),
  ]
}
