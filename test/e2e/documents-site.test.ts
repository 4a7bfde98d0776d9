/**
 * The documentation as a site: built, served by the command with a strict Content-Security-Policy, and used in a
 * browser.
 *
 * Rules: accessibility is held to WCAG 2.2 AA and to the best practices of axe-core, on every page at both widths.
 * Rules about colours take half of the time, so they are checked, in both schemes, on each page that has an element of
 * a kind that no page before it had; all others cannot differ in the dark scheme.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
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

const policy = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
const MOST_BYTES = 60_000
const AUDIT_MS = 600_000

let server: RunningCommand
let base: string

beforeAll(async () => {
  server = await startCommand(['serve', directory, '-p', '0', '--header', policy], / on (http:\/\/127\.0\.0\.1:\d+)/)
  base = server.match[1]!
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

it('the site is built', () => {
  expect(build.stderr).toBe('')
  expect(build.stdout).toMatch(/^\d+ pages written to /)
  expect(readdirSync(directory)).toEqual(expect.arrayContaining(['index.html', 'send.html', 'favicon.svg', 'api']))
})

it('scripts and style together stay small', () => {
  const sizes = ['site.js', 'search.js', 'style.css'].map((name) => statSync(join(directory, name)).size)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MOST_BYTES)
})

describe.skipIf(!hasChromium)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  /** Fails at the end of the test where something was blocked, missing or thrown. */
  async function openPage(url: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options })
    const faults: string[] = []
    page.on('requestfailed', (request) => faults.push(request.url()))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('pageerror', (error) => faults.push(String(error)))
    await page.goto(url)
    return { page, faults }
  }

  it.each([
    { width: 360, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const)(
    'without scripts, no page is wider than the window: $width, $colorScheme',
    async ({ width, colorScheme }) => {
      const { page, faults } = await openPage(`${base}/index.html`, {
        viewport: { width, height: 800 },
        colorScheme,
        javaScriptEnabled: false,
      })
      for (const name of [
        'index.html',
        'request-file.html',
        'troubleshooting.html',
        'rfc-map.html',
        'api/index.html',
      ]) {
        const response = await page.goto(`${base}/${name}`)
        expect(response?.status()).toBe(200)
        const main = await page.locator('main').boundingBox()
        expect(main?.width).toBeLessThanOrEqual(width)
        const pages = await page.getByRole('navigation', { name: 'All pages' }).boundingBox()
        // Beside the text where there is room, below it on a phone.
        expect(pages!.y > 800).toBe(width === 360)
        expect(await page.getByRole('searchbox').isVisible()).toBe(false)
      }
      expect(faults).toEqual([])
      await page.close()
    },
  )

  it('links lead from page to page', async () => {
    const { page, faults } = await openPage(`${base}/index.html`)
    const pages = page.getByRole('navigation', { name: 'All pages' })
    await pages.getByRole('link', { name: 'Troubleshooting' }).click()
    await page.getByRole('heading', { name: 'Troubleshooting', level: 1 }).waitFor()
    await page.locator('main').getByRole('link', { name: 'OAuth 2' }).first().click()
    await page.waitForURL('**/run.html#oauth-2')
    expect(await page.getByRole('heading', { name: 'OAuth 2' }).isVisible()).toBe(true)
    expect(faults).toEqual([])
    await page.close()
  })

  it('a page links to its headings and to the previous and the next page', async () => {
    const { page, faults } = await openPage(`${base}/install.html`)
    await page.getByText('On this page').click()
    const contents = page.getByRole('navigation', { name: 'On this page' })
    const heading = (await contents.getByRole('link').first().textContent())!
    await contents.getByRole('link', { name: heading, exact: true }).click()
    expect(await page.locator(':target').textContent()).toBe(`#${heading}`)
    const neighbours = page.getByRole('navigation', { name: 'Previous and next page' })
    expect(
      await neighbours.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['index.html', await page.locator('link[rel=next]').getAttribute('href')])
    expect(faults).toEqual([])
    await page.close()
  })

  it.each(['http', 'file'])('the search finds a page by keyboard: %s', async (scheme) => {
    const origin = scheme === 'http' ? base : pathToFileURL(directory).href
    const { page, faults } = await openPage(`${origin}/api/index.html`)
    await page.keyboard.press('/')
    await page.keyboard.type('httpcli serve')
    await page
      .getByRole('status')
      .filter({ hasText: /\d results?/ })
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    expect(await page.locator('.results').isVisible()).toBe(false)
    await page.getByRole('searchbox').fill('qqzzxx')
    await page.getByText('No results for').waitFor()
    await page.getByRole('searchbox').fill('httpcli check')
    await page.locator('.results a').first().waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/check.html')
    expect(faults).toEqual([])
    await page.close()
  })

  it('commands are copied without prompts and output, and this is announced', async () => {
    const { page, faults } = await openPage(`${base}/send.html`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy commands' }).first().click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor()
    const first = await page.locator('.command').first().textContent()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(first!.replace('$ ', ''))
    expect(faults).toEqual([])
    await page.close()
  })

  it('on a phone, the end of a long first line can be scrolled out from under the copy button', async () => {
    const { page } = await openPage(`${base}/fmt.html`, {
      viewport: { width: 390, height: 800 },
      isMobile: true,
      hasTouch: true,
    })
    const hidden = await page.evaluate(() => {
      return [...document.querySelectorAll('.code')].flatMap((block) => {
        const pre = block.querySelector('pre')!
        pre.scrollLeft = pre.scrollWidth
        const text = document.createRange()
        text.selectNodeContents(block.querySelector('code')!)
        const first = [...text.getClientRects()].reduce((top, line) => Math.min(top, line.top), Infinity)
        const ends = [...text.getClientRects()].flatMap((line) => (line.top === first ? line.right : []))
        const isHidden = Math.max(...ends) > block.querySelector('button')!.getBoundingClientRect().left
        return isHidden ? block.textContent.slice(0, 40) : []
      })
    })
    expect(hidden).toEqual([])
    await page.close()
  })

  it('the text of a terminal screenshot can be selected', async () => {
    const { page } = await openPage(`${base}/run.html`)
    const picture = page.locator('figure.terminal').first()
    await picture.locator('text').first().click({ clickCount: 3 })
    expect(await page.evaluate(() => String(getSelection()))).toContain('httpcli run')
    await page.close()
  })

  it(
    'every page is accessible, in narrow and wide windows, light and dark',
    async () => {
      const all = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
      // Pages of the library's API have one layout.
      const isOfApi = (name: string): boolean => name.startsWith('api')
      const names = [...all.filter((name) => !isOfApi(name)), ...all.filter(isOfApi).slice(0, SAMPLED_API_PAGES)]
      const found: string[] = []
      const audited = new Set<string>()
      let auditedForColors = 0
      /**
       * One page of the browser visits them all: opening one and its first read of the style cost as much as an audit.
       */
      const audit = async (): Promise<void> => {
        const { page, faults } = await openPage('about:blank')
        for (let name = names.pop(); name !== undefined; name = names.pop()) {
          await page.emulateMedia({ colorScheme: 'light' })
          await page.setViewportSize({ width: 390, height: 800 })
          await page.goto(`${base}/${name}`)
          const kinds = await kindsOfElements(page)
          const hasNewKinds = kinds.some((kind) => !audited.has(kind))
          for (const kind of kinds) audited.add(kind)
          if (hasNewKinds) auditedForColors++
          const rules = hasNewKinds ? allRules : rulesWithoutColors
          found.push(...(await violations(page, rules)).map((each) => `${name} at 390: ${each}`))
          await page.setViewportSize({ width: 1280, height: 800 })
          found.push(...(await violations(page, rules)).map((each) => `${name} at 1280: ${each}`))
          if ((await page.locator('.table[tabindex]').count()) > 0) {
            found.push(`${name} at 1280: a table is wider than the page`)
          }
          if (hasNewKinds) {
            await page.emulateMedia({ colorScheme: 'dark' })
            found.push(...(await violations(page, colorRules)).map((each) => `${name}, dark: ${each}`))
          }
          found.push(...faults.splice(0).map((each) => `${name}: ${each}`))
        }
        await page.close()
      }
      await Promise.all([audit(), audit()])
      expect(found).toEqual([])
      expect(auditedForColors).toBeGreaterThan(5)
    },
    AUDIT_MS,
  )
})

const SAMPLED_API_PAGES = 4

const runOnly: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
const colorRuleNames = ['color-contrast', 'link-in-text-block']
const allRules: axe.RunOptions = { runOnly }
const rulesWithoutColors: axe.RunOptions = {
  runOnly,
  rules: Object.fromEntries(colorRuleNames.map((name) => [name, { enabled: false }])),
}
const colorRules: axe.RunOptions = { runOnly: { type: 'rule', values: colorRuleNames } }

/**
 * Each element with its ancestors, by what the style sheet selects and by colours in attributes: elements of one kind
 * have the same colours on all pages.
 */
async function kindsOfElements(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const kinds = new Map<Element | null, string>()
    for (const element of document.querySelectorAll('*')) {
      const own = ['class', 'fill', 'style', 'aria-current'].map((name) => element.getAttribute(name) ?? '')
      kinds.set(element, `${kinds.get(element.parentElement) ?? ''} > ${element.localName}(${own.join()})`)
    }
    return [...new Set(kinds.values())]
  })
}

/** Rule and element of each violation. */
async function violations(page: Page, rules: axe.RunOptions = allRules): Promise<readonly string[]> {
  // Twice: what observes sizes runs between two frames.
  await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`)
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  const results = (await page.evaluate(
    `axe.run(${JSON.stringify({ preload: false, resultTypes: ['violations'], ...rules })})`,
  )) as axe.AxeResults
  return results.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
