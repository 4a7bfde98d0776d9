/**
 * docs/lsp.md names every capability, command, option, setting and message of the language server, and no command that
 * is not there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageAt, projectRoot } from '../helpers/document.ts'
import { LanguageClient } from '../helpers/language-client.ts'

const { text } = pageAt('docs/lsp.md')
const section = (title: string): string =>
  new RegExp(`^## ${title}\n(.*?)(?=^## )`, 'ms').exec(`${text}\n## `)?.[1] ?? ''

const sources = readdirSync(join(projectRoot, 'src/language-server'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(projectRoot, 'src/language-server', name), 'utf8'))

const found = (pattern: RegExp): readonly string[] => [
  ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name))),
]

describe('docs/lsp.md', () => {
  it('lists the capabilities and commands that the server announces', async () => {
    const client = await LanguageClient.start()
    await client.stop()
    const { capabilities } = client.initialized!
    const names = Object.keys(capabilities).filter((name) => name.endsWith('Provider'))
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((name) => !section('Capabilities').includes(`\`${name}\``))).toEqual([])
    const commands = [...section('Commands').matchAll(/^\| `(httpcli\.\w+)` \|/gm)].map(([, name]) => name)
    expect(commands).toEqual(capabilities.executeCommandProvider?.commands)
  })

  it('lists the custom messages', () => {
    const messages = found(/'(httpcli\/\w+)'/g)
    expect(messages.length).toBe(4)
    expect(messages.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  it('lists the settings that clients provide', () => {
    const [, names = ''] = /const \{ ([\w, ]+) \} = \w+ as Readonly/.exec(sources.join('\n')) ?? []
    const rows = [...section('Settings').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(names.split(', '))
  })

  it('lists the options of commands', () => {
    const [, names = ''] = /function readOptions\(\{ ([\w, ]+) \}/.exec(sources.join('\n')) ?? []
    expect(names.split(', ').filter((name) => !section('Commands').includes(`| \`${name}\` |`))).toEqual([])
    expect(names).not.toBe('')
  })
})
