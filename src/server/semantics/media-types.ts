/**
 * The media type of a file by its name.
 *
 * Rules: extensions are compared without case, the longest first (`a.tar.gz`: `tar.gz`, then `gz`), never the whole
 * name (`.profile` has no extension). Custom entries override the built-in table and are used as written. A text type
 * of the table without a charset gets UTF-8; a file with an unknown extension is `application/octet-stream`. An `.svgz`
 * is served as what it is, an SVG compressed with gzip. RFC 9110 sections 8.3 and 8.4.
 */
import { mediaTypeLines } from './media-types.generated.ts'

/** The default for unknown types (RFC 2046 section 4.5.1). */
const unknownType = 'application/octet-stream'

const packedImage = /.\.svgz$/is

const builtInTypes = parseLines(mediaTypeLines)

export class MediaTypes {
  readonly #custom: ReadonlyMap<string, string>

  /** `custom`: extension (lower case, no leading dot) to media type, as `readMediaTypes` returns it. */
  constructor(custom: ReadonlyMap<string, string> = new Map()) {
    this.#custom = custom
  }

  /** The value of Content-Type for a file of this name. */
  ofFile(name: string): string {
    return this.#find(name) ?? unknownType
  }

  /** Content-Type and, if the name says that the content is compressed, Content-Encoding of a file as it is served. */
  served(name: string): { readonly mediaType: string; readonly coding: string | undefined } {
    if (!packedImage.test(name)) return { mediaType: this.ofFile(name), coding: undefined }
    const mediaType = this.#custom.get('svgz') ?? 'image/svg+xml'
    return { mediaType, coding: /^image\/svg\+xml\s*(?:;|$)/i.test(mediaType) ? 'gzip' : undefined }
  }

  /** Whether the name has an extension that is mapped. */
  isKnown(name: string): boolean {
    return this.#find(name) !== undefined
  }

  #find(name: string): string | undefined {
    const lowerName = name.toLowerCase()
    for (let dot = lowerName.indexOf('.', 1); dot >= 0; dot = lowerName.indexOf('.', dot + 1)) {
      const type = this.#ofExtension(lowerName.slice(dot + 1))
      if (type !== undefined) return type
    }
    return undefined
  }

  /** Whether this is one extension: it contains no dot, or it is mapped as a whole (`tar.gz`). */
  isExtension(text: string): boolean {
    return text !== '' && (!text.includes('.') || this.#ofExtension(text.toLowerCase()) !== undefined)
  }

  #ofExtension(extension: string): string | undefined {
    const custom = this.#custom.get(extension)
    if (custom !== undefined) return custom
    const type = builtInTypes.get(extension)
    return type === undefined ? undefined : withCharset(type)
  }
}

function withCharset(type: string): string {
  return /^text\//i.test(type) && !/;\s*charset\s*=/i.test(type) ? `${type}; charset=utf-8` : type
}

function parseLines(lines: string): ReadonlyMap<string, string> {
  const types = new Map<string, string>()
  for (const line of lines.split('\n')) {
    const [type, ...extensions] = line.split(' ')
    for (const extension of extensions) types.set(extension, type!)
  }
  return types
}
