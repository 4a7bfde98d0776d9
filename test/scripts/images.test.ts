/**
 * The Dockerfiles of the release: what they copy is in its archives, a damaged archive ends the build, and no
 * image runs as root. What they build is started in the workflow of a release only.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tarGzip } from '../../scripts/archive.ts'
import { projectRoot } from '../helpers/document.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

interface Instruction {
  readonly name: string
  readonly words: string
}

/** Comments left out, continued lines joined. */
function instructionsOf(file: string): readonly Instruction[] {
  const text = readFileSync(join(projectRoot, 'standalone', file), 'utf8')
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, words] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return name === undefined || words === undefined ? [] : [{ name, words }]
  })
}

/** The stages that a file has, each from its FROM. */
function stagesOf(file: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = []
  for (const instruction of instructionsOf(file)) {
    if (instruction.name === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  return stages
}

const wordsOf = (stage: readonly Instruction[], name: string): readonly string[] =>
  stage.filter((instruction) => instruction.name === name).map(({ words }) => words)

const version = '2.0.0'
const architecture = process.arch

describe.each([
  { file: 'Dockerfile', target: `linux-${architecture}` },
  { file: 'alpine.Dockerfile', target: `linux-${architecture}-musl` },
])('standalone/$file', ({ file, target }) => {
  const [files = [], image = []] = stagesOf(file)
  const copied = wordsOf(image, 'COPY').flatMap((words) => [...words.matchAll(/\/release\/files\/(\S+)/g)])
  const names = copied.map(([, name = '']) => name)

  /** A directory as the build has it after COPY, and what its RUN does there. */
  function unpack(content: Buffer, digested: Buffer): { readonly directory: string; readonly code: number | null } {
    const directory = temporaryDirectory()
    const archive = `httpcli-${version}-${target}.tar.gz`
    const digest = createHash('sha256').update(digested).digest('hex')
    writeFileSync(join(directory, archive), content)
    writeFileSync(join(directory, 'SHA256SUMS'), `${'0'.repeat(64)}  other.tar.gz\n${digest}  ${archive}\n`)
    const [script = ''] = wordsOf(files, 'RUN')
    const { status } = spawnSync('sh', ['-c', script], { cwd: directory, env: { ...process.env, VERSION: version } })
    return { directory, code: status }
  }

  const archive = tarGzip(
    names.map((name) => ({ name: `httpcli-${version}-${target}/${name}`, content: Buffer.from(name) })),
  )

  it.skipIf(process.platform !== 'linux')('extracts the executable and the notices from the archive', () => {
    const { directory, code } = unpack(archive, archive)
    expect(code).toBe(0)
    for (const name of names) expect(existsSync(join(directory, 'files', name)), name).toBe(true)
  })

  it.skipIf(process.platform !== 'linux')('stops at an archive with a wrong checksum', () => {
    const { directory, code } = unpack(archive, Buffer.from('another'))
    expect(code).not.toBe(0)
    expect(existsSync(join(directory, 'files'))).toBe(false)
  })

  it('copies only what a release has', () => {
    const script = readFileSync(join(projectRoot, 'scripts', 'release.ts'), 'utf8')
    expect(names).toEqual(['httpcli', 'LICENSE', 'THIRD-PARTY-NOTICES.txt', 'sbom.cdx.json'])
    for (const name of names) expect(script).toMatch(new RegExp(`\\b${name.replaceAll('.', '\\.')}\\b`))
    const [pattern = ''] = wordsOf(files, 'COPY').map((words) => words.split(' ')[1])
    const wanted = new RegExp(
      `^${pattern
        .replace(/\$\{VERSION\}/, version)
        .replaceAll('.', '\\.')
        .replace('*', '.*')}$`,
    )
    const isMusl = target.endsWith('-musl')
    for (const name of ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl']) {
      expect(wanted.test(`httpcli-${version}-${name}.tar.gz`), name).toBe(name.endsWith('-musl') === isMusl)
    }
  })

  it('starts from images with a tag, and does not run as root', () => {
    for (const from of [...wordsOf(files, 'FROM'), ...wordsOf(image, 'FROM')]) {
      expect(from).toMatch(/^(alpine:\d+\.\d+|gcr\.io\/distroless\/[\w-]+-debian12:nonroot)( AS files)?$/)
    }
    expect(wordsOf(image, 'USER')).toEqual(['65532:65532'])
    expect(wordsOf(image, 'ENTRYPOINT')).toEqual(['["httpcli"]'])
    // Packages are installed before the user changes.
    expect(image.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      image.findLastIndex(({ name }) => name === 'RUN'),
    )
  })

  it('has the labels that registries show', () => {
    const [labels = ''] = wordsOf(image, 'LABEL')
    for (const name of ['title', 'description', 'version', 'licenses']) {
      expect(labels).toMatch(new RegExp(`org\\.opencontainers\\.image\\.${name}="[^"]+"`))
    }
  })
})
