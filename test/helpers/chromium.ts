/**
 * A browser for tests of pages: Debian's chromium, driven by playwright-core.
 *
 * Rules: it connects only to the server of the test; its profile is new and temporary. If it is not installed, tests
 * that need it are skipped, which is reported once on stderr.
 */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

const words = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const hasChromium: boolean = program !== undefined

if (!hasChromium) process.stderr.write('SKIPPED: chromium is not installed, so no page is checked in a browser\n')

/** The caller closes the browser. */
export async function startChromium(): Promise<Browser> {
  if (program === undefined) throw new Error('chromium is not installed')
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  return chromium.launch({ executablePath: program, args: words, env: env as Record<string, string> })
}
