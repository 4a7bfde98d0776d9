/** The public face of the server room: a static file server to embed, and what a command needs around it. */
export { type AnsweredRequest, formatLogLine } from './access-log.ts'
export { defaultLimits, type ServerLimits } from './limits.ts'
export { parseMediaTypes, readMediaTypes } from './media-type-file.ts'
export { type RunningServer, type ServeOptions, serveDirectory } from './server.ts'
