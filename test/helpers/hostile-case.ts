/** For tables of hostile documents: the form of a row, and the texts that rows share. */

/** The input of one run of the command, and its expected answer. */
export interface HostileCase {
  readonly title: string
  readonly files: Readonly<Record<string, () => string>>
  readonly words: readonly string[]
  /**
   * The allowed exit codes. The runtimes of the two distributions have stacks of different sizes: one of them may read
   * more.
   */
  readonly codes: readonly number[]
  /** The text on standard error, unless the exit code is 0. */
  readonly message: RegExp
}

export const DEEP = 50_000
/** Enough that quadratic time would be noticed. */
export const MANY = 10_000
export const deep = (open: string, close: string, depth = DEEP, inner = ''): string =>
  open.repeat(depth) + inner + close.repeat(depth)
export const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('')

/** Each variable refers to the one before it, `factor` times. */
export const laughs = (count: number, factor: number): string =>
  `@v0 = ${'ha'.repeat(50)}\n${many(count, (i) => `@v${i + 1} = ${`{{v${i}}}`.repeat(factor)}\n`)}`

export const request = 'GET http://127.0.0.1:9/\n'
export const json = (value: unknown): string => JSON.stringify(value)
export const post = (type: string, body: string): string =>
  `POST http://127.0.0.1:9/\nContent-Type: ${type}\n\n${body}\n`

export type Expected = readonly [codes: number | readonly number[], message: RegExp]

export const ok: Expected = [0, /^/]
/** A file that only runs others has no request of its own to convert. */
export const nothingToConvert: Expected = [2, /no part of the source can be converted/]
export const tooLarge: Expected = [4, /more than 64 MiB of text: v15 → v14 → /]
export const circular: Expected = [4, /refers to itself|is circular/]
export const deepScript: Expected = [5, /^/]
export const deepPath: Expected = [2, /^/]
export const deepJson: Expected = [2, /:\d+:\d+: nested deeper than 200 levels/]

/** Cases that give the same request file to each command that reads request files. */
export function requestFile(
  title: string,
  text: () => string,
  expected: Readonly<Partial<Record<'check' | 'dry' | 'fmt' | 'convert', Expected>>>,
  files: Readonly<Record<string, () => string>> = {},
  words: readonly string[] = [],
): readonly HostileCase[] {
  const commands: Readonly<Record<keyof typeof expected, readonly string[]>> = {
    check: ['check', 'a.http', ...words],
    dry: ['run', '--dry-run', 'a.http', ...words],
    fmt: ['fmt', 'a.http'],
    convert: ['convert', 'a.http'],
  }
  return (Object.keys(expected) as (keyof typeof expected)[]).map((name) => {
    return {
      title: `${name}: ${title}`,
      files: { 'a.http': text, ...files },
      words: commands[name],
      ...answer(expected[name] ?? ok),
    }
  })
}

/** Matches the findings of `check` and a dry run; the other commands read no values. */
export const all = (
  expected: Expected,
  written: Expected = ok,
): Readonly<Record<'check' | 'dry' | 'fmt' | 'convert', Expected>> => ({
  check: expected,
  dry: expected,
  fmt: written,
  convert: written,
})

export const document = (title: string, name: string, text: () => string, expected: Expected): HostileCase => ({
  title: `convert: ${title}`,
  files: { [name]: text },
  words: ['convert', name],
  ...answer(expected),
})

function answer([codes, message]: Expected): Pick<HostileCase, 'codes' | 'message'> {
  return { codes: typeof codes === 'number' ? [codes] : codes, message }
}

export const postman = (item: unknown): string => json({ info: { name: 'x', schema: 'v2.1.0' }, item })
export const openapi = (rest: object): string => json({ openapi: '3.0.0', info: {}, ...rest })
export const operation = (schema: unknown): object => ({
  paths: { '/a': { post: { requestBody: { content: { 'application/json': { schema } } } } } },
})
