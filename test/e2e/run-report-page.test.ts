/** The HTML report as a browser shows it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hasChromium, startChromium } from '../helpers/chromium.ts'
import { runCommand } from '../helpers/command.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'
import { type RecordingServer, recordingServer } from '../runner/running.ts'

let browser: Browser
let server: RecordingServer
let root: string

beforeAll(async () => {
  server = await recordingServer({ '/missing': (_request, response) => response.writeHead(404).end() })
  if (hasChromium) browser = await startChromium()
})

afterAll(async () => {
  await browser?.close()
  await server.close()
})

beforeEach(() => {
  root = temporaryDirectory()
})

const long = 'a-very-long-word-'.repeat(20)
const hostile = '<img src=x onerror=alert(1)>'
const requests = `### Fine ${hostile}
# @tag smoke
GET $O/fine

> {% client.test('is fine', () => client.assert(response.status === 200)); client.log('${hostile}') %}

### ${long}
GET $O/${long}?${long}

> {% client.test('${long}', () => client.assert(response.status === 201, '${long}')) %}

### Down
GET http://127.0.0.1:1/

### Also fine
GET $O/other
`

/**
 * Runs a file and opens its report. The test fails if the page throws, fetches or is refused anything by its policy.
 */
async function openReport(text: string, options: BrowserContextOptions = {}, ...words: string[]): Promise<Page> {
  writeFileSync(join(root, 'a.http'), text.replaceAll('$O', server.origin))
  await runCommand(['run', 'a.http', '-p', 'status', '--report', 'html=r.html', ...words], { cwd: root })
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(request.url())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  onTestFinished(() => expect(complaints).toEqual([]))
  await page.goto(pathToFileURL(join(root, 'r.html')).href)
  return page
}

const visible = (page: Page) => page.locator('.request:visible, .row:visible')

describe.skipIf(!hasChromium)('the report in a browser', () => {
  it('reports the outcome first, and what failed before what passed', async () => {
    const page = await openReport(requests)
    expect(await page.title()).toBe('Failed: a.http')
    expect(await page.locator('.verdict').textContent()).toBe('Failed: 1 failed, 1 not answered, of 4 requests')
    const headings = await page.getByRole('heading').allTextContents()
    expect(headings.slice(0, 2)).toEqual(['a.http', 'What failed'])
    expect(await page.locator('section').first().locator('details[open]').count()).toBe(2)
    expect(await page.getByText('connection refused').isVisible()).toBe(true)
    expect(await page.getByText('is fine').isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'Fine' }).first().click()
    expect(await page.getByText('is fine').isVisible()).toBe(true)
  })

  it.each([320, 360, 768, 1280])('has no horizontal scroll bar at %d pixels, for any names', async (width) => {
    const page = await openReport(requests, {
      viewport: { width, height: 800 },
      isMobile: width < 700,
      hasTouch: true,
    })
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true
    })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })

  it('is readable in light and dark mode, with enough contrast', async () => {
    const shades = async (colorScheme: 'light' | 'dark') => {
      const page = await openReport(requests, { colorScheme })
      return page.evaluate(() => {
        const parts = (color: string) => (color.match(/[\d.]+/g) ?? ['0', '0', '0', '0']).map(Number)
        const luminance = (color: string): number => {
          const [red, green, blue] = parts(color).map((part) => {
            const value = part / 255
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
          }) as [number, number, number]
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue
        }
        const backOf = (element: Element): string => {
          const color = getComputedStyle(element).backgroundColor
          return parts(color)[3] === 0 && element.parentElement !== null ? backOf(element.parentElement) : color
        }
        const texts = [...document.querySelectorAll('h1,h2,h2 small,p,dt,dd,span,pre,code,a,li,button,footer')]
        const contrasts = texts
          .filter((element) => element.textContent?.trim() !== '' && element.getClientRects().length > 0)
          .map((element) => {
            const [front, back] = [luminance(getComputedStyle(element).color), luminance(backOf(element))]
            return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
          })
        return { back: luminance(backOf(document.body)), contrast: Math.min(...contrasts), count: contrasts.length }
      })
    }
    const light = await shades('light')
    const dark = await shades('dark')
    expect(light.back).toBeGreaterThan(0.9)
    expect(dark.back).toBeLessThan(0.05)
    expect(Math.min(light.count, dark.count)).toBeGreaterThan(40)
    // WCAG 2.2, 1.4.3.
    expect(Math.min(light.contrast, dark.contrast)).toBeGreaterThan(4.5)
  })

  it('filters by words and by outcome, and expands all at once', async () => {
    const page = await openReport(requests)
    expect(await visible(page).count()).toBe(6)
    await page.keyboard.press('/')
    await page.keyboard.type('FINE smoke')
    expect(await visible(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    expect(await visible(page).count()).toBe(6)
    await page.getByRole('button', { name: 'Not passed' }).click()
    expect(await visible(page).count()).toBe(4)
    await page.getByRole('button', { name: 'Not passed' }).click()
    await page.getByRole('button', { name: 'Open or close all' }).click()
    expect(await page.locator('details:not([open])').count()).toBe(0)
  })

  it('shows each exchange over time, as figures and as a bar', async () => {
    const page = await openReport(requests)
    await page.getByText('Timeline').click()
    const rows = page.locator('.timeline tbody tr')
    // The one that was refused has no times.
    expect(await rows.count()).toBe(3)
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      ...['Request', 'Start', 'Queue', 'DNS', 'Connect', 'TLS', 'Send', 'Wait', 'Receive'],
    ])
    expect(await rows.last().locator('rect').count()).toBeGreaterThan(0)
    await rows.last().getByRole('link', { name: 'Also fine' }).click()
    expect(await page.locator(':target summary').textContent()).toContain('Also fine')
  })

  it('shows the heads and bodies of a request', async () => {
    const page = await openReport(`POST $O/fine\nX-A: ${hostile}\n\n${hostile}\n`)
    await page.locator('.request summary').click()
    expect(await page.getByLabel('Request head').textContent()).toContain(`POST /fine HTTP/1.1\n`)
    expect(await page.getByLabel('Request head').textContent()).toContain(`X-A: ${hostile}\n`)
    expect(await page.getByLabel('Request body').textContent()).toBe(hostile)
    expect(await page.getByLabel('Response head').textContent()).toMatch(/^HTTP\/1\.1 200 OK\n/)
    expect(await page.getByLabel('Response body').textContent()).toBe('ok')
  })

  it('is printed without controls', async () => {
    const page = await openReport(requests, { colorScheme: 'dark' })
    expect(await page.getByRole('button').count()).toBe(2)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('searchbox').count()).toBe(0)
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)')
    expect(await page.getByText('connection refused').isVisible()).toBe(true)
  })

  it('is usable with a thousand requests', async () => {
    const page = await openReport('### Request\nPOST $O/fine\n\n{"a": 1}\n', {}, '--repeat', '1000')
    expect(await page.locator('.request').count()).toBe(1000)
    await page.locator('.request summary').last().click()
    expect(await page.getByLabel('Request body').last().textContent()).toBe('{"a": 1}')
    await page.getByRole('searchbox').fill('nothing like it')
    expect(await visible(page).count()).toBe(0)
  })

  it('can be read and navigated by keyboard without scripts', async () => {
    const page = await openReport(requests, { javaScriptEnabled: false })
    expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    const summary = page.locator('.request:not([open]) > summary').first()
    await summary.focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open]').count()).toBe(3)
    await page.getByRole('link', { name: 'Down' }).click()
    expect(await page.locator(':target summary').textContent()).toContain('Down')
  })

  it('has landmarks, one main heading and a language', async () => {
    const page = await openReport(requests)
    for (const role of ['main', 'banner', 'contentinfo', 'search'] as const) {
      expect(await page.getByRole(role).count(), role).toBe(1)
    }
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.getByRole('region').count()).toBe(2)
  })

  it('says so if everything passed', async () => {
    const page = await openReport('GET $O/x')
    expect(await page.locator('.verdict').textContent()).toBe('Passed')
    expect(await page.getByText('What failed').count()).toBe(0)
  })

  it('opens with thousands of requests', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => `### R${index}\nGET $O/x\n`).join('\n')
    const page = await openReport(many)
    expect(await page.locator('.request').count()).toBe(2000)
    await page.getByRole('searchbox').fill('R1999')
    expect(await visible(page).count()).toBe(1)
    expect(readFileSync(join(root, 'r.html')).length).toBeLessThan(4_000_000)
  })
})
