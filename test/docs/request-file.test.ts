/** Every example of docs/request-file.md: read without errors, and sent as the page says. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseHttpFile, printHttpFile } from '../../src/http-file/index.ts'
import { prepareText, type SentRequest } from '../runner/preparing.ts'

interface Block {
  readonly language: string
  /** Behind the language: the name of a file that examples use. */
  readonly file: string
  readonly text: string
}

const page = readFileSync(fileURLToPath(new URL('../../docs/request-file.md', import.meta.url)), 'utf8')

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(
  ([, language = '', file = '', text = '']) => ({ language, file, text }),
)

const files = Object.fromEntries(blocks.filter(({ file }) => file !== '').map(({ file, text }) => [file, text]))

const examples = blocks.flatMap((block, index) => {
  if (block.language !== 'http' || block.file !== '') return []
  const next = blocks[index + 1]
  return [{ source: block.text, sent: next?.language === 'text' ? next.text : undefined }]
})

const whole = ({ line, headers, body }: SentRequest): string =>
  `${[line, ...headers].map((each) => `${each}\n`).join('')}${body.length > 0 ? `\n${body.toString()}\n` : ''}`

describe('an example of the page about request files', () => {
  it('is there, with what it sends', () => {
    expect(examples.length).toBeGreaterThan(20)
    expect(examples.filter(({ sent }) => sent !== undefined).length).toBeGreaterThan(12)
  })

  it.each(examples.map(({ source }) => source))('is read without errors: %j', (source) => {
    const { file, errors } = parseHttpFile(source)
    expect(errors).toEqual([])
    expect(printHttpFile(file)).toBe(source)
  })

  it.each(examples.flatMap(({ source, sent }) => (sent === undefined ? [] : [[source, sent] as const])))(
    'is sent as the page says: %j',
    async (source, expected) => {
      const { errors, sent } = await prepareText(source, { files, environmentName: 'dev' })
      expect(errors).toEqual([])
      const lines = expected.trimEnd().split('\n')
      const isList = lines.every((line) => /^[A-Z]+ \S+ HTTP\/1\.1$/.test(line)) && lines.length > 1
      expect(isList ? sent.map(({ line }) => `${line}\n`).join('') : sent.map(whole).join('')).toBe(expected)
    },
  )
})
