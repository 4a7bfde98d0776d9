/** URIs of documents and paths of files. */
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The absolute path of a document; undefined if it is not a file, such as an untitled document. */
export function pathOfUri(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    // A URI with a host or with an encoded separator does not name a file on this machine.
    return undefined
  }
}

export function uriOfPath(path: string): string {
  return pathToFileURL(path).href
}
