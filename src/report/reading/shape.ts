/**
 * The shape of a value that was read from JSON, and where a value differs from it.
 *
 * Rules: fields that a shape does not name are allowed, because new versions add some.
 */

/** A value that differs from the shape. */
export interface Misfit {
  /** Relative to the checked value: `.exchanges[0].url`. */
  readonly path: string
  readonly expected: string
}

/** Returns undefined if the value matches. */
export type Shape = (value: unknown) => Misfit | undefined

type Fields = Readonly<Record<string, Shape>>

export function matching(expected: string, fits: (value: unknown) => boolean): Shape {
  const misfit = { path: '', expected }
  return (value) => (fits(value) ? undefined : misfit)
}

export function object(required: Fields, optional: Fields = {}): Shape {
  const fields = [...Object.entries(required), ...Object.entries(optional)]
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { path: '', expected: 'an object' }
    for (const [name, shape] of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[name]
      if (field === undefined && Object.hasOwn(optional, name)) continue
      const misfit = shape(field)
      if (misfit !== undefined) return { ...misfit, path: `.${name}${misfit.path}` }
    }
    return undefined
  }
}

export function list(element: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return { path: '', expected: 'a list' }
    for (const [index, each] of value.entries()) {
      const misfit = element(each)
      if (misfit !== undefined) return { ...misfit, path: `[${index}]${misfit.path}` }
    }
    return undefined
  }
}

/** Matches any of the shapes; otherwise reports the mismatch with the first. */
export function anyOf(...shapes: readonly [Shape, ...Shape[]]): Shape {
  return (value) => (shapes.some((shape) => shape(value) === undefined) ? undefined : shapes[0](value))
}

export function oneOf(...words: readonly string[]): Shape {
  return matching(`one of ${words.join(', ')}`, (value) => words.includes(value as string))
}

export const text: Shape = matching('a string', (value) => typeof value === 'string')
export const flag: Shape = matching('true or false', (value) => typeof value === 'boolean')
export const duration: Shape = matching('a number from 0', (value) => typeof value === 'number' && value >= 0)
export const count: Shape = wholeFrom(0)
export const position: Shape = wholeFrom(1)

function wholeFrom(least: number): Shape {
  return matching(`a whole number from ${least}`, (value) => Number.isSafeInteger(value) && (value as number) >= least)
}

const momentPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

export const moment: Shape = matching('a time such as 2026-11-21T10:00:00.000Z', (value) => {
  return typeof value === 'string' && momentPattern.test(value) && !Number.isNaN(Date.parse(value))
})
