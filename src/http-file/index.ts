/**
 * The request-file format: text to a typed syntax tree with positions and back, templates, environment files.
 * No I/O, no running.
 */
export type * from './assertion-tree.ts'
export { bareValue, quantityOf } from './assertions/assertion-values.ts'
export { type Diagnostic, excerptAt, excerptOf } from './diagnostic.ts'
export {
  type EnvironmentFile,
  type EnvironmentSetting,
  type EnvironmentValues,
  type ParsedEnvironmentFile,
  parseEnvironmentFile,
  SHARED_ENVIRONMENT,
  type VariableValue,
} from './environment.ts'
export { encodeForm, type FormPiece } from './form-body.ts'
export { type FormattedHttpFile, formatHttpFile } from './format.ts'
export { type GraphqlDocument, readGraphql } from './graphql-document.ts'
export { exactNumber, type JsonNode, type JsonValue, jsonValueOf, parseJsonSource } from './json-source.ts'
export { nearestNames } from './nearest-name.ts'
export { type ParsedHttpFile, parseHttpFile, printHttpFile } from './parser.ts'
export type * from './syntax-tree.ts'
export { joinTemplates, parseTemplate, renderTemplate, templateLines, templateText } from './template.ts'
export { encodePath, percentEscapes } from './url-encoding.ts'
