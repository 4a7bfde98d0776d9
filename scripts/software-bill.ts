/**
 * The software bill of materials of a release: its third-party components, as CycloneDX 1.6 in JSON.
 *
 * Rules: the packages are those that the bundler actually included, as in the notices; version, licence and digest come
 * from the lock file. Two engines are inside packages that do not list them. The bill contains no time and no random
 * number: its serial number is a digest of the rest, so that the same release gives the same document.
 */
import { createHash } from 'node:crypto'

/** The fields of package-lock.json that are used. */
export interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly license?: string }>
  >
}

export interface Component {
  readonly type: 'library' | 'platform' | 'application'
  readonly 'bom-ref': string
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[]
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

/** @throws Error for a package that is missing in the lock file, or has no licence there */
export function packageComponent(name: string, lock: LockFile, type: Component['type'] = 'library'): Component {
  const locked = lock.packages[`node_modules/${name}`]
  if (locked?.version === undefined) throw new Error(`the lock file has no package ${name}`)
  if (locked.license === undefined) throw new Error(`the lock file has no licence for ${name}`)
  const { version, license, integrity } = locked
  const hashes = integrity === undefined ? {} : { hashes: integrity.split(' ').map(hashOf) }
  return { type, ...identity(name, version, license), ...hashes }
}

/** The script engine, which is compiled into the program of the package quickjs-wasi. */
export function scriptEngineComponent(program: Buffer): Component {
  // The program contains the version as one of its strings.
  const version = /\0(\d+\.\d+\.\d+)\0/.exec(program.toString('latin1'))?.[1]
  if (version === undefined) throw new Error('the program of the script engine does not contain its version')
  return sourceComponent('quickjs-ng', `github/quickjs-ng/quickjs@v${version}`, version, 'MIT')
}

/** @param commit the commit of the WebKit that the runtime was built with */
export function javaScriptCoreComponent(commit: string): Component {
  const licence = 'LGPL-2.0-or-later AND BSD-2-Clause'
  return sourceComponent('JavaScriptCore', `github/oven-sh/WebKit@${commit}`, commit, licence)
}

function sourceComponent(name: string, source: string, version: string, licence: string): Component {
  const purl = `pkg:${source}`
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [licenceOf(licence)] }
}

/** The document for one released artefact and its components. */
export function softwareBill(
  subject: { readonly name: string; readonly version: string; readonly license: string; readonly description: string },
  components: readonly Component[],
): string {
  const { name, version, license, description } = subject
  const root = identity(name, version, license)
  const sorted = components.toSorted((one, other) => (one.purl < other.purl ? -1 : 1))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', ...root, description }, supplier: { name: `${name} maintainers` } },
    components: sorted,
    dependencies: [
      { ref: root['bom-ref'], dependsOn: sorted.map((component) => component['bom-ref']) },
      ...sorted.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  }
  const { bomFormat, specVersion, ...rest } = document
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`
  return `${JSON.stringify({ bomFormat, specVersion, serialNumber, ...rest }, undefined, 2)}\n`
}

/** A UUID of version 8, whose bits can be chosen freely (RFC 9562 section 5.8). */
function uuidOf(text: string): string {
  const digest = createHash('sha256').update(text).digest().subarray(0, 16)
  digest[6] = (digest[6]! & 0x0f) | 0x80
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function identity(fullName: string, version: string, license: string): Omit<Component, 'type'> {
  const [group, name] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName]
  const purl = `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${name}@${version}`
  return {
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: name!,
    version,
    purl,
    licenses: [licenceOf(license)],
  }
}

function licenceOf(text: string): Component['licenses'][number] {
  return /[ ()]/.test(text) ? { expression: text } : { license: { id: text } }
}

/** Converts `sha512-…` in base64 to the form of CycloneDX. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [algorithm, digest] = integrity.split('-', 2)
  return { alg: algorithm!.replace('sha', 'SHA-'), content: Buffer.from(digest!, 'base64').toString('hex') }
}
