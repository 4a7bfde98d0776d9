/** Text files of the user that cannot be decoded. */
import { constants } from 'node:buffer'
import { expect, it } from 'vitest'
import { decodeText, wholeText } from '../../../src/runner/files/text-file.ts'

it('a file that is larger than a text can be is an ordinary error', () => {
  const bytes = Buffer.alloc(constants.MAX_STRING_LENGTH + 1)
  const kind = { name: 'data file', code: 'invalid-data-file' } as const
  const limit = Math.floor(constants.MAX_STRING_LENGTH / 1e6)
  expect(() => decodeText(bytes, 'rows.csv', kind)).toThrow(
    expect.objectContaining({
      code: 'unreadable-file',
      message: `the data file rows.csv is larger than ${limit} MB`,
    }),
  )
  expect(() => wholeText(bytes, 'the file a.js')).toThrow('the file a.js is larger')
})
