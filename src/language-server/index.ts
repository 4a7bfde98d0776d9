/**
 * A language server for request files: what an editor shows as the user types, and the requests that he sends from it.
 *
 * Nothing here prints; the client is at the other end of the streams that are handed in.
 */
export { serveClient } from './language-server.ts'
