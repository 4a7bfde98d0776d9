/**
 * The request-file format: parses text into a typed syntax tree with positions, and writes it back; templates and
 * environment files. Does no I/O and runs nothing.
 */
export { readAssertion, readCapture } from './assertions/assertion.ts'
export { certificateAttributes, cookieAttributes } from './assertions/assertion-subjects.ts'
export { bareValue, quantityOf } from './assertions/assertion-values.ts'
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
export { type GraphqlDocument, graphqlFrame, readGraphql } from './graphql-document.ts'
export { HOST_VARIABLE, lacksHost, withHostVariable, withHostVariables } from './host-variable.ts'
export {
  boundaryOf,
  delimiterOf,
  dispositionOf,
  escapedPartName,
  type FramedPart,
  framedParts,
  type MultipartPart,
  splitMultipart,
  type TypedLine,
} from './multipart.ts'
export { type ParsedHttpFile, parseHttpFile, printHttpFile } from './parser.ts'
export { plainAddress, plainOrigin } from './plain-address.ts'
export { CURL, methodNames, normalMethods, sentMethod } from './sections/request-line.ts'
export type * from './syntax/assertion-tree.ts'
export { type Diagnostic, type DiagnosticCode, excerptAt, excerptOf } from './syntax/diagnostic.ts'
export {
  exactNumber,
  isJsonObject,
  isJsonText,
  type JsonMember,
  type JsonNode,
  type JsonObject,
  type JsonValue,
  jsonValueOf,
  memberOf,
  parseJsonSource,
  type RepeatedKey,
} from './syntax/json-source.ts'
export { misspelledName, nearestNames } from './syntax/nearest-name.ts'
export { endOfPattern, endOfQuoted } from './syntax/quoted-text.ts'
export type * from './syntax/span.ts'
export type * from './syntax/syntax-tree.ts'
export {
  isLiteral,
  joinTemplates,
  parseTemplate,
  renderTemplate,
  templateLines,
  templateText,
} from './syntax/template.ts'
export { type UnicodePattern, unicodePattern } from './syntax/unicode-pattern.ts'
export { type TargetPlace, targetPart, targetPlaces } from './target-places.ts'
export { decodedComponent, encodePath, percentEscapes } from './url-encoding.ts'
