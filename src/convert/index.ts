/**
 * Requests of other tools to request files, and request files to curl commands: texts in, texts out, no I/O.
 */
export { type Converted, convert } from './conversion.ts'
export { ConvertSyntaxError } from './draft/errors.ts'
export { formatOf, type SourceFormat, sourceFormats, type TargetFormat } from './format.ts'
export {
  environmentText,
  PRIVATE_ENVIRONMENT_FILE,
} from './request-file/environment-writer.ts'
