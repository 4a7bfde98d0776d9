/**
 * Creates a reproducible Debian package from files that are already built.
 *
 * Rules: an `ar` archive with the version of the format, the control data, and the files, in this order. dpkg creates
 * only directories that are entries. Manual pages and the changelog are compressed, as Debian Policy sections 12.1 and
 * 12.7 require. The package has no maintainer scripts: installing it runs none of its code. (deb(5), deb-control(5).)
 */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type ArchiveEntry, tarGzip } from './archive.ts'

/** Debian's name for the processor of a target of scripts/standalone-targets.ts. */
export const debianArchitectures: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

export interface DebianPackage {
  readonly manifest: { readonly name: string; readonly version: string; readonly description: string }
  readonly architecture: string
  /** By their paths on the system, without the first slash. */
  readonly files: readonly ArchiveEntry[]
}

/** 1980-01-01, in seconds since 1970. */
const MADE_AT_S = 315_532_800
const isCompressed = /\/man\/|\/changelog$/

export function debianPackage({ manifest, architecture, files }: DebianPackage): Buffer {
  const installed = files
    .map((file) => (isCompressed.test(file.name) ? { name: `${file.name}.gz`, content: gzipped(file) } : file))
    .map((file) => ({ ...file, name: `./${file.name}` }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const sizeBytes = installed.reduce((sum, { content }) => sum + content.length, 0)
  const control = [
    { name: './control', content: Buffer.from(controlOf(manifest, architecture, Math.ceil(sizeBytes / 1024))) },
    { name: './md5sums', content: Buffer.from(installed.map(digestLine).join('')) },
  ]
  const data = [...directoriesOf(installed).map((name) => ({ name, content: Buffer.alloc(0) })), ...installed]
  return ar([
    { name: 'debian-binary', content: Buffer.from('2.0\n') },
    { name: 'control.tar.gz', content: tarGzip([{ name: './', content: Buffer.alloc(0) }, ...control]) },
    { name: 'data.tar.gz', content: tarGzip(data) },
  ])
}

function controlOf(
  { name, version, description }: DebianPackage['manifest'],
  architecture: string,
  sizeKib: number,
): string {
  const fields = {
    Package: name,
    // The revision of the package: without one, dpkg would treat the project as native to Debian.
    Version: `${version}-1`,
    Architecture: architecture,
    Maintainer: `${name} maintainers <maintainers@${name}.invalid>`,
    'Installed-Size': sizeKib,
    // The libraries that the runtime needs.
    Depends: 'libc6 (>= 2.17)',
    Section: 'web',
    Priority: 'optional',
    Description: `HTTP client, request files and file server\n ${description.replaceAll('; ', ';\n ')}`,
  }
  return Object.entries(fields)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('')
}

/** Without a time in its header. */
function gzipped({ content }: ArchiveEntry): Buffer {
  return gzipSync(content, { level: 9 })
}

function digestLine({ name, content }: ArchiveEntry): string {
  return `${createHash('md5').update(content).digest('hex')}  ${name.slice(2)}\n`
}

/** The directories that contain the files, each before its contents. */
function directoriesOf(files: readonly ArchiveEntry[]): readonly string[] {
  const all = files.flatMap(({ name }) => {
    const parts = name.split('/').slice(0, -1)
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
  })
  return [...new Set(all)].toSorted()
}

function ar(members: readonly ArchiveEntry[]): Buffer {
  const parts = members.flatMap(({ name, content }) => [
    Buffer.from(
      [name.padEnd(16), String(MADE_AT_S).padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)].join('') +
        `${String(content.length).padEnd(10)}\`\n`,
    ),
    content,
    Buffer.from(content.length % 2 === 0 ? '' : '\n'),
  ])
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
