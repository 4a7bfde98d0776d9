/**
 * The software bill of materials of a release: what of others is in it, as CycloneDX 1.6 in JSON.
 *
 * Rules: the packages are those that the bundler really put in, as the notices list them; version, licence and digest
 * are those of the lock file. No time and no random number, so that the same release gives the same document.
 */

/** What of package-lock.json is used. */
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

/** @throws Error for a package that the lock file does not know, or whose licence it does not */
export function packageComponent(name: string, lock: LockFile, type: Component['type'] = 'library'): Component {
  const locked = lock.packages[`node_modules/${name}`]
  if (locked?.version === undefined) throw new Error(`the lock file has no package ${name}`)
  if (locked.license === undefined) throw new Error(`the lock file has no licence of ${name}`)
  const { version, license, integrity } = locked
  const hashes = integrity === undefined ? {} : { hashes: integrity.split(' ').map(hashOf) }
  return { type, ...identity(name, version, license), ...hashes }
}

/** The document for one thing that is released, and what is in it. */
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
    metadata: { component: { type: 'application', ...root, description } },
    components: sorted,
    dependencies: [
      { ref: root['bom-ref'], dependsOn: sorted.map((component) => component['bom-ref']) },
      ...sorted.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
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
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
  }
}

/** `sha512-…` in base64 to what CycloneDX wants. */
function hashOf(integrity: string): { readonly alg: string; readonly content: string } {
  const [algorithm, digest] = integrity.split('-', 2)
  return { alg: algorithm!.replace('sha', 'SHA-'), content: Buffer.from(digest!, 'base64').toString('hex') }
}
