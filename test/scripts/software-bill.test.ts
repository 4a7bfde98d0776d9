/** The software bill of materials names what the bundler put in, as the lock file has it. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type LockFile, packageComponent, scriptEngineComponent, softwareBill } from '../../scripts/software-bill.ts'
import { noticedPackages } from '../../scripts/third-party-notices.ts'

const lock: LockFile = {
  packages: {
    'node_modules/@scope/one': { version: '1.2.3', integrity: 'sha512-AAEC', license: 'MIT' },
    'node_modules/two': { version: '2.0.0', license: '(MIT OR Apache-2.0)' },
    'node_modules/nameless': { version: '1.0.0' },
  },
}
const subject = { name: 'httpcli', version: '9.9.9', license: 'Apache-2.0', description: 'text' }

describe('a component', () => {
  it('has the identity, licence and digest of the lock file', () => {
    expect(packageComponent('@scope/one', lock)).toEqual({
      type: 'library',
      'bom-ref': 'pkg:npm/%40scope/one@1.2.3',
      group: '@scope',
      name: 'one',
      version: '1.2.3',
      purl: 'pkg:npm/%40scope/one@1.2.3',
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: '000102' }],
    })
  })

  it('reports a choice of licences as an SPDX expression', () => {
    expect(packageComponent('two', lock).licenses).toEqual([{ expression: '(MIT OR Apache-2.0)' }])
  })

  it.each([
    ['missing', /no package missing/],
    ['nameless', /no licence for nameless/],
  ])('is refused if the lock file has too little information: %s', (name, message) => {
    expect(() => packageComponent(name, lock)).toThrow(message)
  })
})

it('the bill is the same for any order of its components', () => {
  const [one, two] = [packageComponent('@scope/one', lock), packageComponent('two', lock)]
  const bill = softwareBill(subject, [two, one])
  expect(bill).toBe(softwareBill(subject, [one, two]))
  expect(JSON.parse(bill)).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: expect.stringMatching(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ),
    metadata: {
      supplier: { name: 'httpcli maintainers' },
      component: { type: 'application', purl: 'pkg:npm/httpcli@9.9.9' },
    },
    dependencies: [{ ref: 'pkg:npm/httpcli@9.9.9', dependsOn: [one['bom-ref'], two['bom-ref']] }, {}, {}],
  })
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const notices = `${root}/dist/cli/THIRD-PARTY-NOTICES.txt`

it.skipIf(!existsSync(notices))('every package of the notices is found in the lock file', () => {
  const names = noticedPackages(readFileSync(notices, 'utf8'))
  expect(names).toEqual(expect.arrayContaining(['@faker-js/faker', 'fastest-levenshtein', 'tough-cookie']))
  const locked = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as LockFile
  for (const name of names) expect(packageComponent(name, locked).purl).toContain('pkg:npm/')
})

it('the script engine is listed inside its package', () => {
  const program = readFileSync(`${root}/node_modules/quickjs-wasi/quickjs.wasm`)
  expect(scriptEngineComponent(program).purl).toMatch(/^pkg:github\/quickjs-ng\/quickjs@v\d+\.\d+\.\d+$/)
  expect(() => scriptEngineComponent(Buffer.from('no version'))).toThrow('does not contain its version')
})
