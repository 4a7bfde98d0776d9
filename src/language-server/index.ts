/**
 * A language server for request files: editor features while the user types, and sending requests from the editor.
 *
 * This room prints nothing; the client is at the other end of the streams that are passed in.
 */
export { serveClient } from './language-server.ts'
