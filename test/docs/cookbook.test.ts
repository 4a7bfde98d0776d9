/**
 * docs/cookbook.md lists every recipe of its pages. The recipes are run by e2e/documents.test.ts, the links by
 * links.test.ts.
 */
import { expect, it } from 'vitest'
import { pageAt, pages } from '../helpers/document.ts'

const recipes = pages
  .filter(({ path }) => path.startsWith('docs/cookbook-'))
  .flatMap(({ path, text }) =>
    [...text.replace(/^```.*?^```$/gms, '').matchAll(/^## (.*)$/gm)].map(
      ([, title]) => `[${title}](${path.replace('docs/', '')}#`,
    ),
  )

it('has forty recipes', () => {
  expect(recipes).toHaveLength(40)
})

it.each(recipes)('lists %s', (link) => {
  expect(pageAt('docs/cookbook.md').text).toContain(link)
})
