/**
 * Content types that are the same in each iteration: `Content-Type: {{json}}` after `@json = application/json`.
 *
 * Rules: the type decides how a body is sent, so a light load test needs to know it. A variable is fixed if the file
 * defines it once, before its use, and nothing else gives it a value.
 */
import { isLiteral, type Template, templateText } from '../../http-file/index.ts'
import type { LightSection } from './light-code.ts'

export interface OtherValues {
  /** Of the environment and of rows. */
  readonly names: ReadonlySet<string>
  /** The code of all scripts. */
  readonly scripts: string
}

/** The sections with the texts of fixed content types. */
export function withFixedTypes(sections: readonly LightSection[], { names, scripts }: OtherValues): LightSection[] {
  const all = sections.flatMap(({ variables }) => variables)
  const captured = sections.flatMap(({ request }) => request?.captures ?? []).map(({ name }) => name)
  const fixed = new Map<string, Template>()
  return sections.map((section) => {
    for (const { name, value } of section.variables) {
      const isOnly = all.filter((each) => each.name === name).length === 1
      const isElsewhere = names.has(name) || captured.includes(name) || /\.set\(\s*[^"'`\s]/.test(scripts)
      if (isOnly && isLiteral(value) && !isElsewhere && !scripts.includes(name)) fixed.set(name, value)
    }
    const { request } = section
    const headers = request?.headers.map((header) => {
      const [only, ...others] = header.value.parts
      const value = only?.type === 'variable' && others.length === 0 ? fixed.get(only.expression) : undefined
      const isType = templateText(header.name).toLowerCase() === 'content-type'
      return isType && value !== undefined ? { ...header, value } : header
    })
    return request === undefined || headers === undefined ? section : { ...section, request: { ...request, headers } }
  })
}
