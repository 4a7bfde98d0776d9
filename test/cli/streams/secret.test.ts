import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSecret } from '../../../src/cli/streams/secret.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

it.each([
  ['the text itself', 's3cret', 's3cret'],
  ['a variable of the environment', 'env:PASSWORD', 'from env'],
  ['a variable that is empty', 'env:EMPTY', ''],
  ['the first line of a file', '@one', 'from file'],
  ['the first line of a file with more', '@two', 'a b '],
  ['the first line of an empty file', '@empty', ''],
  ['the first line after a byte order mark', '@marked', 'x'],
])('a secret is %s', async (_, text, secret) => {
  const workingDirectory = temporaryDirectory()
  const files = { one: 'from file\n', two: 'a b \r\nmore\r\n', empty: '', marked: '\ufeffx' }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(workingDirectory, name), content)
  const environment = { PASSWORD: 'from env', EMPTY: '' }
  expect(await readSecret(text, { environment, workingDirectory })).toBe(secret)
})

it('names the variable or the file that is missing', async () => {
  const context = { environment: {}, workingDirectory: temporaryDirectory() }
  await expect(readSecret('env:NONE', context)).rejects.toMatchObject({ code: 'usage', message: /"NONE"/ })
  await expect(readSecret('@none', context)).rejects.toMatchObject({
    code: 'ENOENT',
    path: join(context.workingDirectory, 'none'),
  })
  mkdirSync(join(context.workingDirectory, 'directory'))
  await expect(readSecret('@directory', context)).rejects.toMatchObject({ code: 'EISDIR', path: /directory$/ })
})
