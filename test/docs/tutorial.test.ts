/**
 * The tutorial shows examples/api.mjs as it is, and leads from each chapter to the next. Its examples:
 * e2e/documents.test.ts.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageAt, pages, projectRoot } from '../helpers/document.ts'

const chapters = pages.filter(({ path }) => /^docs\/tutorial-\d\d-/.test(path))

it('shows the API that its chapters use', () => {
  const shown = pageAt('docs/tutorial.md').blocks.find(({ file }) => file === 'api.mjs')
  expect(shown?.text).toBe(readFileSync(join(projectRoot, 'examples/api.mjs'), 'utf8'))
})

it('has ten chapters and lists them', () => {
  const listed = [...pageAt('docs/tutorial.md').text.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)$/gm)].map(
    ([, file]) => file,
  )
  expect(chapters.map(({ path }) => path.replace('docs/', ''))).toEqual(listed)
  expect(listed).toHaveLength(10)
})

it.each(chapters.slice(0, -1).map(({ path, text }, index) => [path, text, chapters[index + 1]!.path] as const))(
  '%s leads to the next chapter',
  (_path, text, next) => {
    expect(text.trimEnd().split('\n').slice(-2).join(' ')).toContain(`(${next.replace('docs/', '')})`)
  },
)
