/**
 * The message library with the bodies that need Node.js: what `import 'httpcli'` gives.
 *
 * Rules: `httpcli/message` is the portable part of it; the other tools of this package have separate entries.
 */
export * from './message/index.ts'
export {
  FileBody,
  type RequestExchange,
  type RequestHandler,
  type ServeRequestsOptions,
  type SwitchListener,
  serveRequests,
} from './message-node/index.ts'
