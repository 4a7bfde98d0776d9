/**
 * Converts requests from other tools to request files, and request files to curl commands and scripts for k6:
 * texts in, texts out, no I/O.
 */
export { type ConversionOptions, type Converted, convert } from './conversion.ts'
export type { Loss } from './draft/draft.ts'
export { type ConvertErrorCode, ConvertSyntaxError, type SourceText } from './draft/errors.ts'
export { formatOf, type SourceFormat, sourceFormats, type TargetFormat } from './format.ts'
export { type LoadOption, loadOptionNames, loadOptionProblem } from './k6-writer/load-options.ts'
export type { K6Target } from './k6-writer/target.ts'
export {
  environmentText,
  PRIVATE_ENVIRONMENT_FILE,
  type WrittenEnvironmentFile,
} from './request-file/environment-writer.ts'
export type { CompanionFile } from './request-file/request-file-writer.ts'
export { requestFileOf, type SentBody } from './sent-request.ts'
