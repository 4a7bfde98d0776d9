/**
 * Every reader of text that comes from the other side takes time linear in its length, for any text.
 */
import { describe, expect, it } from 'vitest'
import { withoutStackTraces } from '../helpers/stack-traces.ts'
import { convertRows } from './convert-rows.ts'
import { exchangeRows } from './exchange-rows.ts'
import { superlinearGrowth } from './growth.ts'
import { hostileValues } from './hostile-values.ts'
import { languageServerRows } from './language-server-rows.ts'
import { messageRows } from './message-rows.ts'
import type { Row } from './row.ts'
import { runnerRows } from './runner-rows.ts'
import { sendRows } from './send-rows.ts'
import { serverRows } from './server-rows.ts'

withoutStackTraces()

/** Going back through this number of characters for each of them takes some ten milliseconds. */
const defaultLength = 8192

const tables: Readonly<Record<string, readonly Row[]>> = {
  'the server': serverRows,
  'the message library': messageRows,
  'a run': runnerRows,
  'an exchange': exchangeRows,
  send: sendRows,
  convert: convertRows,
  'the language server': languageServerRows,
}

describe.each(Object.entries(tables))('the time that %s takes grows no faster than the text', (_room, rows) => {
  it.each(rows)(
    '$name',
    async ({ call, prefixes = [''], also = [], maxLength = defaultLength }) => {
      const values = [
        ...prefixes.flatMap(hostileValues),
        ...also.map((make, index) => ({ name: `text ${index + 1} for this reader`, make })),
      ]
      for (const { name, make } of values) {
        const growth = await superlinearGrowth(call, make, maxLength)
        if (growth !== undefined) expect.fail(`${name}: ${growth}`)
      }
    },
    120_000,
  )
})
