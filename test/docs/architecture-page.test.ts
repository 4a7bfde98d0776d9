/** ARCHITECTURE.md and the heads of the sources name files that exist; ARCHITECTURE.md names every room. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../helpers/document.ts'

const text = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8')

const files = ['src', 'scripts', 'bench', 'test'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules'))
    .map((name) => `/${folder}/${name}`),
)

/** `runner/oauth*.ts` means every file whose name begins so. */
const named = [...new Set([...text.matchAll(/`([\w./*-]+\.(?:ts|wat|cjs))`/g)].map(([, name = '']) => name))].filter(
  (name) => !/^(?:main|send|run|command)\.cjs$/.test(name),
)

describe('the head of a source', () => {
  it('names files that exist', () => {
    const wrong = files
      .filter((file) => file.startsWith('/src/') && file.endsWith('.ts') && !/\.(?:data|generated)\.ts$/.test(file))
      .flatMap((file) => {
        const head = readFileSync(join(projectRoot, file), 'utf8').split('*/', 1)[0] as string
        return [...head.matchAll(/(?<![\w/.-])(?:\.{1,2}\/)*([\w-]+(?:\/[\w-]+)*\.(?:generated\.)?ts)\b/g)].map(
          ([, name = '']) => [file, name] as const,
        )
      })
      .filter(([, name]) => !name.includes('.generated.') && !files.some((file) => file.endsWith(`/${name}`)))
    expect(wrong.map(([file, name]) => `${file}: ${name}`)).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  it.each(named)('names %s, which exists', (name) => {
    const pattern = new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`)
    expect(files.filter((file) => pattern.test(file))).not.toEqual([])
  })

  it.each(readdirSync(join(projectRoot, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory()))(
    'has the room $name',
    ({ name }) => expect(text).toContain(`| \`${name}\` |`),
  )
})
