/**
 * The parts of the message library that need the platform: bodies from files and into files, creation of directories,
 * and all content codings.
 *
 * Rules: importing this room registers the platform's decoders, which costs nothing until content is decoded.
 */
import { registerZlibDecoders } from './zlib-decoders.ts'

export { isExistingDirectory, makeDirectory } from './directories.ts'
export type { PlatformErrorCode } from './errors.ts'
export { FileBody } from './file-body.ts'
export { FileOutput } from './file-output.ts'
export type { FileOutputOptions } from './output-target.ts'
export { fileBytes, openPipe, pipeBytes } from './pipes.ts'
export {
  type RequestExchange,
  type RequestHandler,
  type ServeRequestsOptions,
  type SwitchListener,
  serveRequests,
} from './serve-requests.ts'
export { systemReason, unreadableFile } from './system-reasons.ts'
export { urlText } from './url-text.ts'

registerZlibDecoders()
