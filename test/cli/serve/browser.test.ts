import { chmodSync, existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openerFor, openInBrowser } from '../../../src/cli/serve/browser.ts'
import { temporaryDirectory } from '../../helpers/temporary-directory.ts'

it.each([
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32.exe', 'url.dll,FileProtocolHandler']],
  ['linux', {}, ['xdg-open']],
  ['freebsd', {}, ['xdg-open']],
  ['linux', { BROWSER: '/opt/my browser' }, ['/opt/my browser']],
  ['linux', { BROWSER: '' }, ['xdg-open']],
])('on %s with %j the opener is %j', (system, environment, opener) => {
  expect(openerFor(environment, system)).toEqual(opener)
})

it('passes the address to the opener as one argument', async () => {
  const directory = temporaryDirectory()
  const [program, record] = [join(directory, 'opener'), join(directory, 'record')]
  writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > ${record}.part && mv ${record}.part ${record}\n`)
  chmodSync(program, 0o755)
  const written = new Promise<void>((resolve) => {
    const watcher = watch(directory, () => {
      if (existsSync(record)) resolve()
    })
    onTestFinished(() => watcher.close())
  })
  expect(await openInBrowser('http://127.0.0.1:1/a?b&c;$(d)', [program, 'first'])).toBeUndefined()
  await written
  expect(readFileSync(record, 'utf8')).toBe('first|http://127.0.0.1:1/a?b&c;$(d)|')
})

it('explains why it could not', async () => {
  expect(await openInBrowser('http://a/', ['/no/such/opener'])).toBe(
    'cannot open a browser with "/no/such/opener": program not found',
  )
})
