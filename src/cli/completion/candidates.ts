/**
 * The candidates for values on the command line, for the completions of all shells.
 *
 * Rules: candidates follow from the option table: choices are offered as words; an argument named as a file or a
 * directory gets file names; nothing is offered for other values, because a wrong candidate is worse than none.
 */
import type {
  CommandSpecification,
  NameKind,
  OptionSpecification,
  PositionalSpecification,
} from '../options/option-table.ts'

export type Candidates =
  | { readonly type: 'words'; readonly words: readonly string[] }
  /** Files with these extensions; any file if the list is empty. Directories are included. */
  | { readonly type: 'files'; readonly endings: readonly string[] }
  | { readonly type: 'directories' }
  /** Names found in the files on the command line, printed by "httpcli completion <kind>". */
  | { readonly type: 'names'; readonly kind: NameKind }
  | { readonly type: 'none' }

export function optionCandidates({ argument = '', choices, names }: OptionSpecification): Candidates {
  if (names !== undefined) return { type: 'names', kind: names }
  return choices === undefined ? namedCandidates(argument, []) : { type: 'words', words: choices }
}

export function positionalCandidates({ name, choices, endings = [] }: PositionalSpecification): Candidates {
  return choices === undefined ? namedCandidates(name, endings) : { type: 'words', words: choices }
}

/** `<file>` and `<http-file>` are files, `<dir>` and `<directory>` directories. */
function namedCandidates(name: string, endings: readonly string[]): Candidates {
  if (/\b(?:file|socket)\b/.test(name)) return { type: 'files', endings }
  return /\bdir(?:ectory)?\b/.test(name) ? { type: 'directories' } : { type: 'none' }
}

/** All spellings of an option: `--file`, `-f`. */
export function spellings({ long, short }: OptionSpecification): readonly string[] {
  return short === undefined ? [`--${long}`] : [`--${long}`, `-${short}`]
}

/** The letters of options that take the next word, such as `ft`. */
export function lettersWithValue(command: CommandSpecification): string {
  return command.options.flatMap((option) => (takesNextWord(option) ? (option.short ?? []) : [])).join('')
}

/** Whether the word after the option is its value. */
export function takesNextWord({ argument, isValueOptional }: OptionSpecification): boolean {
  return argument !== undefined && isValueOptional === undefined
}
