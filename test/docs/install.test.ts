/** docs/install.md lists the files that scripts/release.ts makes, and its steps use files of that list. */
import { describe, expect, it } from 'vitest'
import { debianArchitectures } from '../../scripts/debian-package.ts'
import { targets } from '../../scripts/standalone-targets.ts'
import { pageAt } from '../helpers/document.ts'

const { text, blocks } = pageAt('docs/install.md')

/** The first column of the table of files, with `<version>` in place of a version. */
const listed = new Set(
  [.../^\| File .*?\n\n/ms.exec(text)![0].matchAll(/`(httpcli[^`]*)`/g)].map(([, name = '']) => versionless(name)),
)

function versionless(name: string): string {
  return name.replace(/\d+\.\d+\.\d+/, '<version>')
}

const archives = targets.map(
  ({ name, platform }) => `httpcli-<version>-${name}.${platform === 'win32' ? 'zip' : 'tar.gz'}`,
)
const packages = Object.values(debianArchitectures).map((name) => `httpcli_<version>-1_${name}.deb`)
const others = ['httpcli-<version>.tgz', 'httpcli-message-<version>.tgz', 'httpcli-<version>.cdx.json']

describe('the files of a release', () => {
  it('are listed exactly', () => {
    expect([...listed].toSorted()).toEqual([...archives, ...packages, ...others].toSorted())
  })

  const used = blocks.flatMap((block) =>
    [...block.text.matchAll(/httpcli[\w.-]*\.(?:tgz|tar\.gz|zip|deb)/g)].map(([name]) => [name, block.place] as const),
  )

  it.each(used)('%s in %s is one of them', (name) => {
    expect(listed).toContain(versionless(name))
  })

  it.each(['linux', 'darwin', 'win32'])('have steps for %s', (platform) => {
    const names = archives.filter((_, index) => targets[index]!.platform === platform)
    expect(used.some(([name]) => names.includes(versionless(name)))).toBe(true)
  })
})
