/** The file root of a request file: named, of the repository, of the working directory, its own. */
import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FileRoot, type FileRootOptions, findFileRoot } from '../../../src/runner/files/file-root.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

/** A directory with these files; names that end with a slash are directories. */
function tree(...names: string[]): string {
  const base = realpathSync(temporaryDirectory())
  for (const name of names) {
    mkdirSync(join(base, name.endsWith('/') ? name : dirname(name)), { recursive: true })
    if (!name.endsWith('/')) writeFileSync(join(base, name), '')
  }
  return base
}

/** The root below `base`; `-` for none. */
function rootIn(base: string, file: string, options: FileRootOptions = {}): string {
  const { directory } = findFileRoot(join(base, file), options)
  return directory === undefined ? '-' : directory === base ? '.' : directory.slice(base.length + 1)
}

describe('the file root is', () => {
  it.each([
    ['the repository', ['r/.git/', 'r/a/b/x.http'], 'r/a/b/x.http', undefined, 'r'],
    ['the nearest repository', ['r/.git/', 'r/n/.git/', 'r/n/b/x.http'], 'r/n/b/x.http', undefined, 'r/n'],
    ['a worktree, whose .git is a file', ['r/.git/', 'w/.git', 'w/a/x.http'], 'w/a/x.http', undefined, 'w'],
    ['the repository, wherever the process works', ['r/.git/', 'r/a/x.http'], 'r/a/x.http', 'r/a', 'r'],
    ['the working directory above', ['w/a/x.http'], 'w/a/x.http', 'w', 'w'],
    ['the working directory itself', ['w/x.http'], 'w/x.http', 'w', 'w'],
    ['its own directory, where the process works elsewhere', ['w/a/x.http', 'v/'], 'w/a/x.http', 'v', 'w/a'],
    ['its own directory, where nothing else is known', ['w/a/x.http'], 'w/a/x.http', undefined, 'w/a'],
  ])('%s', (_name, names, file, working, root) => {
    const base = tree(...names)
    const options = working === undefined ? {} : { workingDirectory: join(base, working) }
    expect(rootIn(base, file, options)).toBe(root)
  })

  it('the directory that the user names, with its links resolved', () => {
    const base = tree('r/.git/', 'r/x.http', 'o/')
    symlinkSync('o', join(base, 'link'))
    const root = findFileRoot(join(base, 'r/x.http'), { fileRoot: join(base, 'link') })
    expect(root).toEqual({ directory: join(base, 'o'), isExplicit: true, warnings: [] })
  })

  it.each(['none', 'x.http'])('an error if the user names %s', (name) => {
    const base = tree('x.http')
    expect(() => findFileRoot(join(base, 'x.http'), { fileRoot: join(base, name) })).toThrow(
      expect.objectContaining({ code: 'invalid-file-root' }),
    )
  })

  it('found from the target of a linked directory', () => {
    const base = tree('r/.git/', 'r/a/x.http', 'elsewhere/')
    symlinkSync(join(base, 'r/a'), join(base, 'elsewhere/link'))
    expect(rootIn(base, 'elsewhere/link/x.http')).toBe('r')
  })

  it.each([
    ['a repository there', ['h/.git/', 'h/a/x.http'], 'h/a/x.http', 'h', 'h/a'],
    ['the process working there', ['h/a/x.http'], 'h/a/x.http', 'h', 'h/a'],
    ['the file there', ['h/x.http'], 'h/x.http', 'h', '-'],
    ['a repository above', ['.git/', 'h/', 'p/x.http'], 'p/x.http', 'v', 'p'],
  ])('never a home directory or its parent: %s', (_name, names, file, working, root) => {
    const base = tree(...names)
    for (const variable of ['HOME', 'USERPROFILE']) {
      const environment = { [variable]: join(base, 'h') }
      expect(rootIn(base, file, { environment, workingDirectory: join(base, working) })).toBe(root)
    }
  })

  it('never the root directory of the file system', () => {
    expect(findFileRoot('/x.http', { workingDirectory: '/' }).directory).toBeUndefined()
  })
})

describe.skipIf(process.getuid?.() !== 0)('a .git of another user', () => {
  const stranger = 54_321
  function rootWith(change: (git: string, base: string) => void): { readonly base: string; readonly root: FileRoot } {
    const base = tree('.git/', 'a/x.http')
    change(join(base, '.git'), base)
    return { base, root: findFileRoot(join(base, 'a/x.http'), { workingDirectory: base }) }
  }

  it.each<[string, (git: string, base: string) => void]>([
    ['belongs to a stranger', (git) => chownSync(git, stranger, stranger)],
    ['is writable for everybody', (git) => chmodSync(git, 0o777)],
  ])('that %s does not define the root, which is a warning', (_name, change) => {
    const { base, root } = rootWith((git, directory) => change(git, directory))
    expect(root.directory).toBe(base)
    expect(root.warnings.map(({ code }) => code)).toEqual(['untrusted-file'])
    expect(root.warnings[0]?.message).toContain(join(base, '.git'))
    expect(findFileRoot(join(base, 'a/x.http')).directory).toBe(join(base, 'a'))
  })

  it.each<[string, (git: string, base: string) => void]>([
    [
      'belongs to the owner of the request file',
      (git, base) => {
        chownSync(git, stranger, stranger)
        chownSync(join(base, 'a/x.http'), stranger, stranger)
      },
    ],
    ['is writable for its group', (git) => chmodSync(git, 0o775)],
  ])('that %s is accepted', (_name, change) => {
    const { base, root } = rootWith(change)
    expect(root).toEqual({ directory: base, isExplicit: false, warnings: [] })
  })
})
