/** Tags in running text, such as `# @assert status == 200`, are parsed as the page says. */
import { describe, expect, it } from 'vitest'
import { parseHttpFile } from '../../src/http-file/index.ts'
import { pages } from '../helpers/document.ts'

const tags = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/`(# @(?:assert|capture|retry|tag|tags|timeout|connection-timeout) [^`…]+)`/g)].map(
    ([, tag = '']) => [path, tag.replaceAll('\\|', '|')] as const,
  ),
)

/** `<name>` is a placeholder. */
const written = tags.filter(([, tag]) => !/<\w+>/.test(tag))

describe('a tag in the documents', () => {
  it('is found', () => {
    expect(tags.length).toBeGreaterThan(25)
  })

  it.each(written)('%s: %s', (_path, tag) => {
    const { file, errors } = parseHttpFile(`${tag}\nGET http://api.test/\n`)
    expect(errors.map(({ message }) => message)).toEqual([])
    const [request] = file.sections.flatMap((section) => (section.request === undefined ? [] : [section.request]))
    const checks = (request?.assertions.length ?? 0) + (request?.captures.length ?? 0)
    expect(checks).toBe(/assert|capture/.test(tag) ? 1 : 0)
  })
})
