/**
 * Converts requests of other tools to request files, and request files to curl commands: texts in, texts out, no I/O.
 */
export { type ConversionOptions, type Converted, convert } from './conversion.ts'
export type { Loss } from './draft/draft.ts'
export { type ConvertErrorCode, ConvertSyntaxError, type SourceText } from './draft/errors.ts'
export { formatOf, type SourceFormat, sourceFormats, type TargetFormat } from './format.ts'
export {
  environmentText,
  PRIVATE_ENVIRONMENT_FILE,
  type WrittenEnvironmentFile,
} from './request-file/environment-writer.ts'
export type { CompanionFile } from './request-file/request-file-writer.ts'
export { requestFileOf, type SentBody } from './sent-request.ts'
