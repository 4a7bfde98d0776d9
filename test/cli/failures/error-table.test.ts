/**
 * Codes of errors: closed in each room, each with one row; and advice on options that the sub-command has.
 *
 * Rules: the lines below `@ts-expect-error` are held by the compiler, which is part of the checks.
 */
import { describe, expect, it } from 'vitest'
import { type ErrorEntry, errorTable } from '../../../src/cli/failures/error-table.ts'
import { describeFailure } from '../../../src/cli/failures/failure.ts'
import { CliError } from '../../../src/cli/frame/cli-error.ts'
import { commands } from '../../../src/cli/options/option-table.ts'
import { ConvertError } from '../../../src/convert/draft/errors.ts'
import type { Diagnostic } from '../../../src/http-file/index.ts'
import { KeystoreError } from '../../../src/keystore/index.ts'
import { CodedError, HttpBuildError, HttpcliError, type HttpcliErrorCode } from '../../../src/message/index.ts'
import { MessageError } from '../../../src/message/syntax/errors.ts'
import { PlatformError } from '../../../src/message-node/errors.ts'
import { errorAt, RunError } from '../../../src/runner/base/errors.ts'
import type { Advice } from '../../../src/runner/dry-run/request-advice.ts'
import { ServerError, type ServerErrorCode } from '../../../src/server/semantics/errors.ts'
import { WireError } from '../../../src/wire/index.ts'

describe('a code that no room has', () => {
  it('does not compile in an error class', () => {
    // @ts-expect-error: a code without a row
    class NewError extends CodedError<'new-code'> {}
    class OwnError extends HttpcliError {
      constructor() {
        // @ts-expect-error
        super('new-code', '')
      }
    }
    expect([new NewError('new-code', ''), new OwnError()]).toMatchObject([{ code: 'new-code' }, { code: 'new-code' }])
  })

  it('does not compile where an error code is read', () => {
    const error: HttpcliError = new ServerError('file-changed', '')
    // @ts-expect-error: a slip
    expect(error.code === 'file-chnaged').toBe(false)
    // @ts-expect-error: a row is read by the codes of errors only
    expect(errorTable['file-chnaged']).toBeUndefined()
  })

  it('does not compile in a table of all codes that lacks some', () => {
    const rows: Readonly<Record<HttpcliErrorCode, ErrorEntry>> = errorTable
    // @ts-expect-error: without the codes of one room
    const fewer: Readonly<Record<HttpcliErrorCode, ErrorEntry>> = {} as Omit<typeof errorTable, ServerErrorCode>
    expect(Object.keys(rows).length).toBeGreaterThan(Object.keys(fewer).length)
  })
})

describe('a code that its room does not have', () => {
  it('does not compile where an error is created', () => {
    const errors: readonly HttpcliError[] = [
      // @ts-expect-error: only classes of rooms are thrown
      new HttpcliError('usage', ''),
      // @ts-expect-error
      new MessageError('body-usd', ''),
      // @ts-expect-error
      new HttpBuildError('body-used', ''),
      // @ts-expect-error
      new PlatformError('file-not-fond', ''),
      // @ts-expect-error
      new WireError('connect-refusd', ''),
      // @ts-expect-error
      new RunError('connect-refused', ''),
      // @ts-expect-error
      errorAt({ path: '', text: '' }, span, { code: 'scrpt-failed', message: '' }),
      // @ts-expect-error
      new ConvertError('syntax', ''),
      // @ts-expect-error
      new KeystoreError('alias', ''),
      // @ts-expect-error
      new ServerError('directry', ''),
      // @ts-expect-error
      new CliError('keystore-alias', ''),
    ]
    expect(errors.filter((error) => error instanceof HttpcliError)).toHaveLength(errors.length)
  })

  it('does not compile in a finding of a file', () => {
    // @ts-expect-error
    const advice: Advice = { code: 'unknown-variable', message: '', span }
    // @ts-expect-error
    const diagnostic: Diagnostic = { code: 'bad-heder', message: '', span, excerpt: '' }
    expect([advice, diagnostic]).toHaveLength(2)
  })

  it('does not compile in the error table', () => {
    // @ts-expect-error: every other row is missing
    const tooFew: typeof errorTable = { usage: errorTable.usage }
    // @ts-expect-error
    const tooMany: typeof errorTable = { ...errorTable, usge: errorTable.usage }
    expect(Object.keys(tooMany).length - Object.keys(tooFew).length).toBe(Object.keys(errorTable).length)
  })
})

const span = { offset: 0, line: 1, column: 1, length: 0 }

function hintOf(error: HttpcliError, name: string | undefined): string {
  const command = commands.find((each) => each.name === name)
  return describeFailure(error, { program: 'p', isDebug: false, colors: false, command }).text
}

it('lists the options of the sub-command that help, in the order to try them', () => {
  expect(hintOf(new WireError('certificate-unknown-ca', 'unknown.'), 'send')).toBe(
    'p: unknown. Trust it with --cacert <file>, or skip the check with -i.\n',
  )
})

it.each(['help', 'serve', undefined])('names only options that %s has', (name) => {
  expect(hintOf(new WireError('idle-timeout', 'nothing came'), name)).toBe('p: nothing came\n')
})

it('puts the hint of the error before the options', () => {
  const error = new WireError('name-not-found', 'no such host', { hint: 'check the spelling' })
  expect(hintOf(error, 'send')).toBe(
    'p: no such host. Check the spelling, or give its address with --resolve <host:port:addr>.\n',
  )
})
