/** The documentation as a site: built, served by the command, and looked at in a browser, without scripts. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, startChromium } from '../helpers/chromium.ts'
import { commandEnvironment, type RunningCommand, startCommand } from '../helpers/command.ts'
import { projectRoot } from '../helpers/document.ts'

const directory = mkdtempSync(join(tmpdir(), 'httpcli-site-'))
const script = join(projectRoot, 'scripts/site.ts')
const build = spawnSync(process.execPath, ['--import', 'tsx', script, directory], {
  cwd: projectRoot,
  env: commandEnvironment(),
  encoding: 'utf8',
})

let server: RunningCommand

beforeAll(async () => {
  server = await startCommand(['serve', directory, '-p', '0'], / on (http:\/\/127\.0\.0\.1:\d+)/)
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

it('the site is built', () => {
  expect(build.stderr).toBe('')
  expect(build.stdout).toMatch(/^\d+ pages written to /)
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(['index.html', 'send.html', 'style.css', 'api']))
})

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  it.each([
    { width: 360, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)('no page is wider than the window: $width, $colorScheme', async ({ width, colorScheme }) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    const failed: string[] = []
    page.on('requestfailed', (request) => failed.push(request.url()))
    for (const name of [
      'index.html',
      'request-file.html',
      'migrating-from-serve.html',
      'troubleshooting.html',
      'api/index.html',
    ]) {
      const response = await page.goto(`${server.match[1]}/${name}`)
      expect(response?.status()).toBe(200)
      const main = await page.locator('main').boundingBox()
      expect(main?.width).toBeLessThanOrEqual(width)
      const navigation = await page.locator('nav').boundingBox()
      // Beside the text where there is room, below it on a phone.
      expect(navigation!.y > 800).toBe(width === 360)
    }
    expect(failed).toEqual([])
    await context.close()
  })

  it('links lead from page to page', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${server.match[1]}/index.html`)
    await page.getByRole('navigation').getByRole('link', { name: 'Troubleshooting' }).click()
    await page.getByRole('heading', { name: 'Troubleshooting', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'OAuth 2' }).click()
    await page.waitForURL('**/run.html#oauth-2')
    expect(await page.getByRole('heading', { name: 'OAuth 2' }).isVisible()).toBe(true)
  })
})
