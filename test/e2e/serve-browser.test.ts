/** `serve` as a browser shows it: the page of a directory, and pages that reload themselves. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hasChromium, startChromium } from '../helpers/chromium.ts'
import { isStandalone, startCommand } from '../helpers/command.ts'
import { hostileNames } from '../helpers/hostile-names.ts'
import { temporaryDirectory } from '../helpers/temporary-directory.ts'

let browser: Browser
let root: string

beforeAll(async () => {
  if (hasChromium) browser = await startChromium()
})

afterAll(() => browser?.close())

beforeEach(() => {
  root = temporaryDirectory()
})

function write(name: string, content = '', modifiedSeconds = 1_700_000_000): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), modifiedSeconds, modifiedSeconds)
}

async function start(...words: string[]): Promise<string> {
  const running = await startCommand(['serve', root, '-p', '0', ...words], / on (http:\/\/127\.0\.0\.1:\d+\S*)$/)
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return running.match[1]!
}

/** A fresh page. The test fails if a page throws or a policy refuses anything. */
async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // Browsers request an icon by themselves.
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isIcon) complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  onTestFinished(() => expect(complaints).toEqual([]))
  await page.goto(url)
  return page
}

const rowNames = (page: Page) => page.locator('tbody tr:not([hidden]) td:first-child').allTextContents()
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

/** Style and scripts are one text in both builds; the tests that follow show that the executable sends them, too. */
const itOnce = it.skipIf(isStandalone)

describe.skipIf(!hasChromium)('the page of a directory', () => {
  itOnce('is readable in light and dark mode, with enough contrast', async () => {
    write('a.txt')
    const url = await start()
    const shades = async (colorScheme: 'light' | 'dark') => {
      const page = await openPage(url, { colorScheme })
      return page.evaluate(() => {
        const luminance = (color: string): number => {
          const parts = (color.match(/\d+(?:\.\d+)?/g) ?? []).slice(0, 3).map((part) => {
            const value = Number(part) / 255
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
          })
          return 0.2126 * parts[0]! + 0.7152 * parts[1]! + 0.0722 * parts[2]!
        }
        const back = luminance(getComputedStyle(document.body).backgroundColor)
        const contrasts = ['h1', 'tbody a', 'td:nth-child(3)', 'th a', 'p'].map((selector) => {
          const front = luminance(getComputedStyle(document.querySelector(selector)!).color)
          return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
        })
        return { back, contrast: Math.min(...contrasts) }
      })
    }
    const light = await shades('light')
    const dark = await shades('dark')
    expect(light.back).toBeGreaterThan(0.9)
    expect(dark.back).toBeLessThan(0.05)
    // WCAG 2.2, 1.4.3.
    expect(Math.min(light.contrast, dark.contrast)).toBeGreaterThan(4.5)
  })

  itOnce('fits a phone, with names of any length', async () => {
    write(`${'very-long-name-'.repeat(10)}.txt`, 'x'.repeat(1_500))
    write(`${'directory'.repeat(12)}/x`)
    const page = await openPage(await start(), {
      viewport: { width: 320, height: 600 },
      isMobile: true,
      hasTouch: true,
    })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    expect(await page.locator('td:nth-child(2)', { hasText: '1.5 kB' }).isVisible()).toBe(true)
    const heights = await page.locator('tbody a').evaluateAll((links) => links.map((link) => link.clientHeight))
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(24)
  })

  itOnce('sorts by each column, both ways, with and without scripts', async () => {
    write('big.txt', 'x'.repeat(3_000), 1_000_000_000)
    write('file2.txt', 'x', 1_600_000_000)
    write('file10.txt', 'xx', 1_500_000_000)
    write('sub/x')
    const url = await start()
    for (const javaScriptEnabled of [true, false]) {
      const page = await openPage(url, { javaScriptEnabled })
      const sortBy = async (title: string) => {
        await page.getByRole('link', { name: title, exact: true }).click()
        const sorted = await page.locator('th[aria-sort]').getAttribute('aria-sort')
        return [sorted, (await rowNames(page)).join(' ')]
      }
      expect((await rowNames(page)).join(' ')).toBe('sub/ big.txt file2.txt file10.txt')
      expect(await sortBy('Name')).toEqual(['descending', 'sub/ file10.txt file2.txt big.txt'])
      expect(await sortBy('Name')).toEqual(['ascending', 'sub/ big.txt file2.txt file10.txt'])
      expect(await sortBy('Size')).toEqual(['descending', 'sub/ big.txt file10.txt file2.txt'])
      expect(await sortBy('Size')).toEqual(['ascending', 'sub/ file2.txt file10.txt big.txt'])
      expect(await sortBy('Modified')).toEqual(['descending', 'sub/ file2.txt file10.txt big.txt'])
      await page.getByRole('link', { name: 'sub/' }).click()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/sub/?sort=date&order=desc')
      await page.getByRole('link', { name: '../' }).click()
      expect((await rowNames(page)).join(' ')).toBe('sub/ file2.txt file10.txt big.txt')
    }
  })

  itOnce('is walked with the keyboard', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) write(name, name)
    const page = await openPage(await start())
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('a.txt')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('b.txt')
    await page.keyboard.press('End')
    expect(await focused(page)).toBe('c.txt')
    await page.keyboard.press('ArrowUp')
    expect(await focused(page)).toBe('b.txt')
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
    expect(outline).toBe('solid')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/a.txt')
    expect(await page.locator('body').textContent()).toBe('a.txt')
  })

  itOnce('is walked with the Tab key alone without scripts', async () => {
    write('sub/inner.txt', 'inner')
    const page = await openPage(await start(), { javaScriptEnabled: false })
    const names: (string | null)[] = []
    for (let count = 0; count < 4; count++) {
      await page.keyboard.press('Tab')
      names.push(await page.locator(':focus').textContent())
    }
    expect(names).toEqual(['Name', 'Size', 'Modified', 'sub/'])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sub/')
    expect(await rowNames(page)).toEqual(['../', 'inner.txt'])
  })

  it('filters names while the user types', async () => {
    for (const name of ['apple.txt', 'Banana.txt', 'cherry.md']) write(`fruit/${name}`)
    const page = await openPage(`${await start()}/fruit/`)
    await page.keyboard.press('/')
    await page.keyboard.type('AN')
    expect(await rowNames(page)).toEqual(['../', 'Banana.txt'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page)).toBe('Banana.txt')
    await page.keyboard.press('/')
    await page.keyboard.press('Escape')
    expect(await rowNames(page)).toHaveLength(4)
  })

  it('opens every file by its link, whatever its name, and executes no name', async () => {
    for (const name of hostileNames) write(name, `content of ${name}`)
    const url = await start()
    const page = await openPage(url)
    const links = page.locator('tbody a')
    expect(await links.count()).toBe(hostileNames.length)
    const bodies = await page.evaluate(async () => {
      const hrefs = [...document.querySelectorAll<HTMLAnchorElement>('tbody a')].map(({ href }) => href)
      return hrefs
    })
    const contents = await Promise.all(bodies.map(async (href) => (await page.request.get(href)).text()))
    expect(contents.toSorted()).toEqual(hostileNames.map((name) => `content of ${name}`).toSorted())
    expect(await page.locator('tbody img, tbody script, tbody [onmouseover], tbody [onfocus]').count()).toBe(0)
  })

  it('does not let a name change the direction of the text around it', async () => {
    write('\u202egnp.exe')
    write('שלום.txt')
    const page = await openPage(await start())
    const [first] = await rowNames(page)
    expect(await rowNames(page)).toContain('[U+202E]gnp.exe')
    const lefts = await page
      .locator('tbody a')
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().left))
    expect(new Set(lefts.map(Math.round)).size).toBe(1)
    expect(first).toBeDefined()
  })

  it('shows thousands of entries', async () => {
    for (let index = 0; index < 3_000; index++) writeFileSync(join(root, `n${index}`), '')
    const page = await openPage(await start())
    expect(await page.locator('tbody tr').count()).toBe(3_000)
    expect(await page.locator('table + p').textContent()).toBe('3000 files, 0 B.')
    // Rows that are not on the screen are not laid out: fifty thousand are shown as fast as fifty.
    const visibilities = await page.locator('tbody').evaluateAll((groups) => {
      return groups.map((group) => getComputedStyle(group).contentVisibility)
    })
    expect(new Set(visibilities)).toEqual(new Set(['auto']))
    await page.keyboard.press('/')
    await page.keyboard.type('n2999')
    expect(await rowNames(page)).toEqual(['n2999'])
  })
})

describe.skipIf(!hasChromium)('httpcli serve --live', () => {
  it('reloads a page when one of its files changes', async () => {
    write('index.html', '<!doctype html><link rel=stylesheet href=style.css><p>one</p>')
    write('style.css', 'p { color: rgb(1, 2, 3) }')
    const page = await openPage(await start('--live', '--header', "Content-Security-Policy: default-src 'self'"))
    const paragraph = page.locator('p')
    expect(await paragraph.textContent()).toBe('one')
    await reloaded(page, () => write('index.html', '<!doctype html><link rel=stylesheet href=style.css><p>two</p>'))
    expect(await paragraph.textContent()).toBe('two')
  })

  it('replaces style sheets without reloading the page', async () => {
    write('index.html', '<!doctype html><link rel=stylesheet href=style.css?v=1><p>one</p>')
    write('style.css', 'p { color: rgb(1, 2, 3) }')
    const page = await openPage(await start('--live', '--header', "Content-Security-Policy: default-src 'self'"))
    await listening(page)
    await page.evaluate(() => document.querySelector('p')!.append(' and its state'))
    for (const color of ['rgb(9, 9, 9)', 'rgb(8, 8, 8)']) {
      write('style.css', `p { color: ${color} }`)
      await page.waitForFunction((wanted) => getComputedStyle(document.querySelector('p')!).color === wanted, color)
    }
    expect(await page.locator('p').textContent()).toBe('one and its state')
    await page.waitForFunction(() => document.querySelectorAll('link').length === 1)
  })

  it('reloads a page whose style sheets import others', async () => {
    write('index.html', '<!doctype html><link rel=stylesheet href=style.css><p>one</p>')
    write('style.css', '@import "colors.css"; p { margin: 0 }')
    write('colors.css', 'p { color: rgb(1, 2, 3) }')
    const page = await openPage(await start('--live'))
    await reloaded(page, () => write('colors.css', 'p { color: rgb(9, 9, 9) }'))
    expect(await page.locator('p').evaluate((element) => getComputedStyle(element).color)).toBe('rgb(9, 9, 9)')
  })

  it('reloads a listing when a file is added or removed', async () => {
    write('a.txt')
    const page = await openPage(await start('--live'))
    await reloaded(page, () => write('b.txt'))
    expect(await rowNames(page)).toEqual(['a.txt', 'b.txt'])
    await reloaded(page, () => rmSync(join(root, 'a.txt')))
    expect(await rowNames(page)).toEqual(['b.txt'])
  })

  it('works below a root path, and for a page of an application', async () => {
    write('index.html', '<!doctype html><p>one</p>')
    const page = await openPage(`${await start('--live', '--spa', '-r', '/app')}/users/17`)
    await reloaded(page, () => write('index.html', '<!doctype html><p>two</p>'))
    expect(await page.locator('p').textContent()).toBe('two')
  })

  /** Waits until the page listens, acts, and waits until it listens again. */
  async function listening(page: Page): Promise<void> {
    await page.waitForLoadState('load')
    await page.waitForFunction(() => {
      return performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/live.js'))
    })
  }

  async function reloaded(page: Page, act: () => void): Promise<void> {
    await listening(page)
    const isLoaded = page.waitForEvent('load')
    act()
    await isLoaded
  }
})

describe.skipIf(!hasChromium)('httpcli serve', () => {
  it('serves an application with client-side routes', async () => {
    write('index.html', '<!doctype html><script src="/app.js"></script><h1></h1>')
    write(
      'app.js',
      'addEventListener("DOMContentLoaded", () => (document.querySelector("h1").textContent = location.pathname))',
    )
    const page = await openPage(`${await start('--spa')}/users/17`)
    expect(await page.locator('h1').textContent()).toBe('/users/17')
  })

  it('asks for the password that it requires', async () => {
    write('a.txt', 'for joe')
    const url = await start('--auth', 'joe:s3crét')
    const page = await openPage(`${url}/a.txt`, { httpCredentials: { username: 'joe', password: 's3crét' } })
    expect(await page.locator('body').textContent()).toBe('for joe')
  })

  it('lets pages of another origin read, with ranges, if --cors says so', async () => {
    write('data.bin', '0123456789')
    write('page.html', '<!doctype html>')
    const open = await start('--cors')
    const page = await openPage(`${await start()}/page.html`)
    const read = await page.evaluate(async (url) => {
      const answer = await fetch(url, { headers: { Range: 'bytes=2-4', 'X-Custom': '1' } })
      return [
        answer.status,
        await answer.text(),
        answer.headers.get('content-range'),
        answer.headers.get('etag') !== null,
      ]
    }, `${open}/data.bin`)
    expect(read).toEqual([206, '234', 'bytes 2-4/10', true])
  })
})
