/** The media types of files that are sent as a body or as a part of one, as in `serve`. Loaded only for such a file. */
import { basename } from 'node:path'
import { MediaTypes } from '../../../server/index.ts'

/** The media type by the file's name. Undefined for an unknown extension, so that the server decides. */
export function contentTypeOf(path: string): string | undefined {
  const [types, name] = [new MediaTypes(), basename(path)]
  return types.isKnown(name) ? types.ofFile(name) : undefined
}

/** The same for a part of a form, without a charset: browsers send none, and some servers compare the whole value. */
export function partTypeOf(path: string): string | undefined {
  return contentTypeOf(path)?.replace(/;.*/, '')
}
