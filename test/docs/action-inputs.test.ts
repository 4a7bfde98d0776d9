/** docs/install.md describes every input and output of the action. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { pageAt, projectRoot } from '../helpers/document.ts'

const { inputs, outputs } = parse(readFileSync(join(projectRoot, 'action.yml'), 'utf8')) as Readonly<
  Record<'inputs' | 'outputs', Readonly<Record<string, unknown>>>
>
const [, section = ''] = /^## GitHub Actions\n(.*?)^## /ms.exec(pageAt('docs/install.md').text) ?? []

it('lists exactly the inputs of the action', () => {
  const rows = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(Object.keys(inputs))
})

it.each(Object.keys(outputs))('names the output %s', (name) => {
  expect(section).toContain(`\`${name}\``)
})
