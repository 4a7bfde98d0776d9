/**
 * Generates the table of file extensions and media types, a source of the server, from the mime-db package.
 *
 * Rules: the output depends only on the installed mime-db and the tables below. If mime-db has several types for an
 * extension, a registered type takes precedence over an unregistered one, and among equals the order of
 * `preferredTrees` decides; `corrections` overrides both.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { GeneratedSource } from './generate.ts'

interface DatabaseEntry {
  readonly source?: string
  readonly extensions?: readonly string[]
}

/**
 * Types that the database lacks, or for which it has another meaning than a web developer expects: `ts` is TypeScript
 * here, not an MPEG transport stream, and the types of source files make a browser show them as text. A double
 * extension is listed so that a request for the name alone finds the file. `svgz` is an image only with a
 * Content-Encoding, so its type is that of its content, gzip.
 */
const corrections: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  br: 'application/x-brotli',
  bz2: 'application/x-bzip2',
  cjs: 'text/javascript',
  cts: 'text/typescript',
  diff: 'text/x-diff',
  go: 'text/x-go',
  graphql: 'application/graphql',
  http: 'text/plain',
  ico: 'image/x-icon',
  ipynb: 'application/json',
  js: 'text/javascript',
  jsonc: 'application/json',
  kt: 'text/x-kotlin',
  m4a: 'audio/mp4',
  map: 'application/json',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mts: 'text/typescript',
  ndjson: 'application/x-ndjson',
  org: 'text/x-org',
  otf: 'font/otf',
  parquet: 'application/vnd.apache.parquet',
  patch: 'text/x-diff',
  properties: 'text/plain',
  proto: 'text/x-protobuf',
  ps1: 'text/plain',
  py: 'text/x-python',
  rb: 'text/x-ruby',
  rs: 'text/x-rust',
  rst: 'text/x-rst',
  rtf: 'application/rtf',
  sh: 'text/x-sh',
  svgz: 'application/gzip',
  swift: 'text/x-swift',
  'tar.br': 'application/x-brotli',
  'tar.bz2': 'application/x-bzip2',
  'tar.gz': 'application/gzip',
  'tar.xz': 'application/x-xz',
  'tar.zst': 'application/zstd',
  tgz: 'application/gzip',
  toml: 'application/toml',
  ts: 'text/typescript',
  tsx: 'text/typescript',
  ttf: 'font/ttf',
  wav: 'audio/wav',
  wgsl: 'text/wgsl',
  woff: 'font/woff',
  xml: 'application/xml',
  xsl: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
  zst: 'application/zstd',
}

/** Best first. A type that begins with none of these comes last. */
const preferredTrees = ['font/', 'image/', 'text/', 'video/', 'audio/', 'model/', 'application/']

/** Lower is better. */
function rank(type: string, entry: DatabaseEntry): number {
  const registered = entry.source === 'iana' ? 0 : 100
  const subtype = type.slice(type.indexOf('/') + 1)
  const vendor = subtype.startsWith('vnd.') ? 20 : subtype.startsWith('x-') ? 30 : 0
  // These extensions are registered as "any bytes", which is the only type that is not wrong for them.
  const opaque = type === 'application/octet-stream' ? -50 : 0
  const tree = preferredTrees.findIndex((prefix) => type.startsWith(prefix))
  return registered + vendor + opaque + (tree < 0 ? preferredTrees.length : tree)
}

const require = createRequire(import.meta.url)

/** The module, and the inputs that it depends on. */
export function mediaTypesModule(): GeneratedSource {
  return { text: renderMediaTypesModule(mediaTypesByExtension()), inputs: [fileURLToPath(import.meta.url)] }
}

/**
 * Extension (lower case, no dot) to media type, in the order of the extensions. Throws if mime-db is not installed.
 */
function mediaTypesByExtension(): ReadonlyMap<string, string> {
  const database = require('mime-db') as Readonly<Record<string, DatabaseEntry>>
  const best = new Map<string, { type: string; rank: number }>()
  for (const [type, entry] of Object.entries(database)) {
    for (const extension of entry.extensions ?? []) {
      const candidate = { type, rank: rank(type, entry) }
      const known = best.get(extension)
      const isBetter =
        known === undefined ||
        candidate.rank < known.rank ||
        (candidate.rank === known.rank && candidate.type < known.type)
      if (isBetter) best.set(extension, candidate)
    }
  }
  const types = new Map([...best].map(([extension, { type }]) => [extension, type] as const))
  for (const [extension, type] of Object.entries(corrections)) types.set(extension, type)
  return new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The text of the generated module. */
function renderMediaTypesModule(types: ReadonlyMap<string, string>): string {
  const extensionsByType = new Map<string, string[]>()
  for (const [extension, type] of types) extensionsByType.set(type, [...(extensionsByType.get(type) ?? []), extension])
  const lines = [...extensionsByType]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, extensions]) => `${type} ${extensions.join(' ')}`)
  return [
    '/**',
    ' * Media types and their file extensions, one type a line. Generated by scripts/generate-media-types.ts from mime-db',
    ' * (MIT licence) with corrections; do not edit. One string, because it is read only when the first file is served, and one',
    ' * file however long, because it is one table.',
    ' */',
    `export const mediaTypeLines: string = \`${lines.join('\n')}\``,
    '',
  ].join('\n')
}
