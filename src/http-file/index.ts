/**
 * The request-file format: text to a typed syntax tree with positions and back, templates, environment files.
 * No I/O, no running.
 */
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
export { type JsonValue, parseJsonSource } from './json-source.ts'
export { type ParsedHttpFile, parseHttpFile, printHttpFile } from './parser.ts'
export type * from './syntax-tree.ts'
export { joinTemplates, parseTemplate, renderTemplate, templateText } from './template.ts'
