/** The media types of files that are sent as a body or as a part of one: those of `serve`. Loaded for such a file. */
import { basename } from 'node:path'
import { MediaTypes } from '../../../server/index.ts'

/** By the name of the file. An extension that is not known gives no Content-Type: the server decides. */
export function contentTypeOf(path: string): string | undefined {
  const [types, name] = [new MediaTypes(), basename(path)]
  return types.isKnown(name) ? types.ofFile(name) : undefined
}

/** The same for a part of a form: browsers send it without a charset, and servers compare it as a whole. */
export function partTypeOf(path: string): string | undefined {
  return contentTypeOf(path)?.replace(/;.*/, '')
}
