/** The colours of the pages, computed from their style: enough contrast in the light and in the dark. */
import { describe, expect, it } from 'vitest'
import { kindOf, kindStyle } from '../../../src/server/listing/file-kinds.ts'
import { listingStyle } from '../../../src/server/listing/listing-style.ts'
import { pageStyle } from '../../../src/server/listing/page-style.ts'

type Shades = Readonly<Record<string, string>>

const shades: readonly Shades[] = [...pageStyle.matchAll(/:root\{([^}]*)\}/g)].map(([, declarations = '']) => {
  return Object.fromEntries([...declarations.matchAll(/--(\w+):(#\w+)/g)].map(([, name, color]) => [name, color]))
})

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit).join('') : color.slice(1)
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => {
    const value = Number.parseInt(digits.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

describe('the colours of the pages', () => {
  it('cover the light and the dark theme', () => {
    expect(shades).toHaveLength(2)
    expect(contrast('#000', '#fff')).toBeCloseTo(21)
    expect(luminance(shades[0]!.back!)).toBeGreaterThan(0.9)
    expect(luminance(shades[1]!.back!)).toBeLessThan(0.05)
  })

  it.each(['text', 'soft', 'link'])('have a contrast of 4.5 to 1 for %s, even on a hovered row', (name) => {
    for (const shade of shades) {
      expect(contrast(shade[name]!, shade.back!)).toBeGreaterThanOrEqual(4.5)
      expect(contrast(shade[name]!, shade.mark!)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('have a contrast of 3 to 1 for the icons', () => {
    const colors = new Set([...decodeURIComponent(kindStyle).matchAll(/#[0-9a-f]{6}/g)].map(([color]) => color))
    expect(colors.size).toBeGreaterThan(0)
    for (const color of colors) {
      for (const { back, mark } of shades) {
        expect(contrast(color, back!)).toBeGreaterThanOrEqual(3)
        expect(contrast(color, mark!)).toBeGreaterThanOrEqual(3)
      }
    }
  })

  it('are only used through variables', () => {
    expect(listingStyle.replace(/:root\{[^}]*\}/g, '').replace(/url\([^)]*\)/g, '')).not.toMatch(/#[0-9a-f]{3,6}\b/)
  })
})

describe('the icon of a file', () => {
  it.each([
    ['a.PNG', 'image'],
    ['a.tar.gz', 'archive'],
    ['a.mp3', 'audio'],
    ['a.webm', 'video'],
    ['a.ts', 'code'],
    ['a.pdf', 'text'],
    ['a.unknown', 'file'],
    ['README', 'file'],
    ['a.constructor', 'file'],
  ])('of %s is %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind)
    expect(kindStyle).toContain(`.${kind}{background-image:`)
  })
})
