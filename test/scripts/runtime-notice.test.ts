/** The notice of the runtime has the licences that want to be beside the program, and links that lead to one state. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runtimeNotice } from '../../scripts/runtime-notice.ts'
import { projectRoot } from '../helpers/document.ts'

const sources = { version: '1.2.3', bun: 'b'.repeat(40), webkit: 'e'.repeat(40), tinycc: 'c'.repeat(40) }
const notice = runtimeNotice(join(projectRoot, 'standalone'), sources)

it('names the version, and links each source and the list of licences by its commit', () => {
  expect(notice).toContain('\nBun 1.2.3, ')
  const links = [...notice.matchAll(/https:\/\/github\.com\/\S+/g)].map(([link]) => link)
  expect(links).toEqual([
    `https://github.com/oven-sh/bun/tree/${sources.bun}`,
    `https://github.com/oven-sh/WebKit/tree/${sources.webkit}`,
    `https://github.com/oven-sh/tinycc/tree/${sources.tinycc}`,
    `https://github.com/oven-sh/bun/blob/${sources.bun}/LICENSE.md`,
  ])
})

it.each([
  ['GNU LIBRARY GENERAL PUBLIC LICENSE', 'Version 2, June 1991'],
  ['GNU LESSER GENERAL PUBLIC LICENSE', 'Version 2.1, February 1999'],
])('has the complete %s', (title, version) => {
  const [, text = ''] = notice.split(new RegExp(`\\n-{72}\\n\\n +${title}\\n +${version}\\n`))
  expect(text).toMatch(/^ +6\. As an? exception/m)
  expect(text).toContain('END OF TERMS AND CONDITIONS')
  expect(text).toContain("That's all there is to it!")
})
