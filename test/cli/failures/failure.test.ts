/** Errors to text and exit codes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { describeFailure, type FailureSettings } from '../../../src/cli/failures/failure.ts'
import { UsageError } from '../../../src/cli/frame/usage-error.ts'
import { OutputClosedError } from '../../../src/cli/streams/output.ts'
import { HttpParseError } from '../../../src/message/index.ts'
import { SomeError } from '../../helpers/some-error.ts'

const settings: FailureSettings = { program: 'httpcli send', isDebug: false, colors: false }

function systemError(code: string, details: object): Error {
  return Object.assign(new Error(`${code}: something`), { code, ...details })
}

/** A real error of the operating system, not an imitation. */
function missingFile(): unknown {
  try {
    readFileSync('/no/such/file')
  } catch (error) {
    return error
  }
  throw new Error(existsSync('/no/such/file') ? 'the file exists' : 'no error')
}

describe('an error', () => {
  it.each<[title: string, error: unknown, text: string, code: number]>([
    [
      'of the command line: one line with the nearest name',
      new UsageError('unknown option --fial', { unknown: { name: '--fial', known: ['--fail'] }, hint: 'see the help' }),
      'httpcli send: unknown option --fial. Did you mean --fail?\n',
      1,
    ],
    [
      'of the command line with nothing near: one line with what to do',
      new UsageError('unknown option --zzz', { unknown: { name: '--zzz', known: ['--fail'] }, hint: 'see the help' }),
      'httpcli send: unknown option --zzz. See the help.\n',
      1,
    ],
    [
      'in a request: line, column, and the line with a caret',
      new HttpParseError('HEADER_COLON', 'no colon', { offset: 3, line: 2, column: 4 }, 'Host\n   ^', 400, 'add one'),
      'httpcli send: line 2, column 4: no colon\n  Host\n     ^\nhint: add one.\n',
      2,
    ],
    [
      'in a file: file, line and column',
      new SomeError('invalid-environment-file', 'a number was expected', {
        where: { file: 'env.json', line: 3, column: 7 },
      }),
      'httpcli send: env.json:3:7: a number was expected\n',
      2,
    ],
    [
      'of the network: one line with what to try',
      new SomeError('connect-refused', 'cannot connect to 127.0.0.1:1', { hint: 'is the server running?' }),
      'httpcli send: cannot connect to 127.0.0.1:1. Is the server running?\n',
      4,
    ],
    ['of a missing file', missingFile(), 'httpcli send: the file /no/such/file does not exist. Check the path.\n', 4],
    [
      'of a port in use',
      systemError('EADDRINUSE', { syscall: 'listen', address: '::1', port: 80 }),
      'httpcli send: cannot listen on [::1]:80: the address is in use\n',
      4,
    ],
    [
      'of a working directory that was deleted',
      systemError('ENOENT', { syscall: 'uv_cwd' }),
      'httpcli send: the working directory does not exist. Change to an existing directory.\n',
      4,
    ],
    [
      'of a name that is not text',
      systemError('ENOENT', { syscall: 'lstat', path: 'a/\ufffd.http' }),
      'httpcli send: the name a/\ufffd.http is not UTF-8 text. Rename the file or the directory.\n',
      4,
    ],
    [
      'of the system that was not foreseen',
      systemError('EXOTIC', { syscall: 'frobnicate' }),
      'httpcli send: cannot frobnicate: EXOTIC\n',
      4,
    ],
    ['of a reader that has gone: silence', new OutputClosedError(undefined), '', 0],
  ])('%s', (_title, error, text, exitCode) => {
    expect(describeFailure(error, settings)).toEqual({ text, exitCode })
  })

  it.each([
    ['an error of the program', new TypeError('x is undefined'), 'TypeError: x is undefined'],
    ['something that is not an error', 'oops', 'oops'],
    ['nothing', undefined, 'undefined'],
  ])('that is unexpected (%s) says where to report it, without a stack trace', (_title, error, what) => {
    const { text, exitCode } = describeFailure(error, settings)
    expect(exitCode).toBe(3)
    expect(text).toContain(`httpcli send: internal error: ${what}\n`)
    expect(text).toContain('CONTRIBUTING.md')
    expect(text).not.toMatch(/^\s+at /m)
  })
})

describe('with --debug', () => {
  const debug = { ...settings, isDebug: true }

  it('shows code, stack and causes', () => {
    const cause = systemError('ECONNREFUSED', { syscall: 'connect' })
    const { text } = describeFailure(new SomeError('connect-refused', 'no', { cause }), debug)
    expect(text).toMatch(/^httpcli send: no\ncode: connect-refused\n/)
    expect(text).toMatch(/^caused by: ECONNREFUSED$/m)
    expect(text).toMatch(/^ +at /m)
  })

  it('stops at circular causes', () => {
    const one = new Error('one')
    const other = new Error('other', { cause: one })
    one.cause = other
    expect(describeFailure(one, debug).exitCode).toBe(3)
  })
})

it('escapes control characters that came from elsewhere', () => {
  const error = new SomeError('invalid-response', 'status line "\x1b[2J\r\u0085\u202e"\nno line')
  expect(describeFailure(error, settings).text).toBe(
    'httpcli send: status line "\\x1B[2J\\x0D\\x85\\u{202E}" no line\n',
  )
})

it('colours the program name only where colour is allowed', () => {
  const error = new SomeError('invalid-response', 'no \x1b[31mcolour')
  expect(describeFailure(error, { ...settings, colors: true }).text).toBe(
    '\x1b[31mhttpcli send:\x1b[39m no \\x1B[31mcolour\n',
  )
})

describe('a hint', () => {
  it.each([
    ['Add one', 'Add one.'],
    ['Add one.', 'Add one.'],
    ['Is there one?', 'Is there one?'],
  ])('%j ends like a sentence', (hint, shown) => {
    const error = new HttpParseError(
      'HEADER_COLON',
      'no colon',
      { offset: 3, line: 2, column: 4 },
      'Host\n   ^',
      400,
      hint,
    )
    expect(describeFailure(error, settings).text).toMatch(new RegExp(`\nhint: ${shown.replace(/[.?]/, '\\$&')}\n$`))
  })

  it.each(['docs', 'test/golden'])('in %s ends like a sentence', (directory) => {
    const root = fileURLToPath(new URL(`../../../${directory}`, import.meta.url))
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(?:md|err)$/.test(name))
    const hints = files.flatMap((name) => readFileSync(join(root, name), 'utf8').match(/^hint: .*$/gm) ?? [])
    expect(hints.length).toBeGreaterThan(0)
    expect(hints.filter((hint) => !/[.?!…]$/.test(hint))).toEqual([])
  })
})

describe('an error of one request of many', () => {
  const subject = 'api.http:5: Log in: '

  it.each<[title: string, error: unknown, text: string]>([
    ['without a place', new SomeError('connect-refused', 'cannot connect'), `${subject}cannot connect\n`],
    [
      'in its response',
      new SomeError('invalid-response', 'no status', { where: { line: 1, column: 2 }, excerpt: 'ab\n ^' }),
      `${subject}line 1, column 2: no status\n  ab\n   ^\n`,
    ],
    [
      'with the certificates of its server',
      Object.assign(new SomeError('certificate-expired', 'it expired'), { certificates: [] }),
      `${subject}it expired`,
    ],
    [
      'in the request file',
      new SomeError('unknown-variable', 'not defined', { where: { file: 'api.http', line: 6, column: 1 } }),
      'api.http:6:1: not defined\n',
    ],
  ])('names the request: %s', (_, error, text) => {
    expect(describeFailure(error, { ...settings, program: 'httpcli run', subject }).text).toContain(
      `httpcli run: ${text}`,
    )
  })
})
