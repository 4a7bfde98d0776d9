/** The exports of the server room: a static file server to embed, and the parts that a command needs around it. */

export type { KeystoreSource, TlsIdentity } from '../keystore/index.ts'
export {
  type AnsweredRequest,
  createLogFormatter,
  type LogFormat,
  type LogFormatter,
  type LoggedObject,
} from './access-log.ts'
export type { BackendClient } from './backend/backend-client.ts'
export { type Backend, parseBackends } from './backend/backend-setting.ts'
export { type Credentials, parseCredentials } from './features/basic-auth.ts'
export { corsFields, parseOrigin } from './features/cors.ts'
export { parseExtraField } from './features/extra-fields.ts'
export { parseApplicationPage } from './features/fallback-pages.ts'
export { createFeatures, type FeatureSettings, type Features } from './features/features.ts'
export { defaultLimits, type ServerLimits } from './limits/limits.ts'
export { parseCacheControl } from './rules/cache-control-patterns.ts'
export { parseMediaTypes, readMediaTypes } from './rules/media-type-file.ts'
export type { InvalidRulesError } from './rules/rules-error.ts'
export { isBelow, RulesFiles, type RulesSettings, realPath, rulesForm } from './rules/rules-in-use.ts'
export { parseAllowedHost } from './semantics/allowed-hosts.ts'
export type { Field } from './semantics/answer.ts'
export type { ServerErrorCode } from './semantics/errors.ts'
export { MediaTypes } from './semantics/media-types.ts'
export { isRulesFile, type Visibility } from './semantics/url-path.ts'
export { type RunningServer, type ServeOptions, serveDirectory } from './server.ts'
export type { TlsSettings } from './tls/certificate-source.ts'
export { startWorkers, type WorkerSide, type WorkersServer, workerSide } from './workers.ts'
