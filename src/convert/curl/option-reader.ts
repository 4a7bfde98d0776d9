/**
 * Reads the words of a curl command as options, like curl.
 *
 * Rules (curl manual): `-XPOST` and `-X POST` are the same; letters may be bundled; a long name may be abbreviated if
 * it stays unique; `--no-name` switches a flag off; a word that is not an option is a URL; all words after `--` are
 * URLs.
 */
import { type CurlOption, curlOptions } from './options.data.ts'
import { ShellSyntaxError, type ShellWord } from './shell-word.ts'

/** An option of a command line. A URL is the option `url`. */
export interface GivenOption extends Omit<OptionInWord, 'attached'> {
  /** Empty for a flag. */
  readonly value: string
  readonly line: number
}

const urlOption = curlOptions.find(({ long }) => long === 'url') as CurlOption

/** @param words words after `curl` @throws ShellSyntaxError for an unknown option or a missing value */
export function readCurlOptions(words: readonly ShellWord[]): readonly GivenOption[] {
  const given: GivenOption[] = []
  let index = 0
  let isEnded = false
  while (index < words.length) {
    const word = words[index++] as ShellWord
    const { line } = word
    if (isEnded || !/^-./s.test(word.text)) {
      given.push({ option: urlOption, value: word.text, isOff: false, spelling: 'URL', line })
    } else if (word.text === '--') {
      isEnded = true
    } else {
      for (const { option, attached, isOff, spelling } of optionsIn(word)) {
        const value = option.takesValue ? (attached ?? words[index++]?.text) : ''
        if (value === undefined) throw new ShellSyntaxError(`${spelling} needs a value`, word)
        given.push({ option, value, isOff, spelling, line })
      }
    }
  }
  return given
}

interface OptionInWord {
  readonly option: CurlOption
  readonly attached?: string
  readonly isOff: boolean
  /** As written, for messages. */
  readonly spelling: string
}

function optionsIn(word: ShellWord): readonly OptionInWord[] {
  return word.text.startsWith('--') ? [longOption(word)] : shortOptions(word)
}

function longOption(word: ShellWord): OptionInWord {
  const spelling = word.text
  const name = spelling.slice(2)
  const exact = named(name)
  if (exact !== undefined) return { option: exact, isOff: false, spelling }
  const negated = name.startsWith('no-') ? named(name.slice(3)) : undefined
  if (negated !== undefined) return { option: negated, isOff: true, spelling }
  const candidates = curlOptions.filter(({ long }) => long.startsWith(name))
  const [only] = candidates
  if (only !== undefined && candidates.length === 1) return { option: only, isOff: false, spelling }
  throw new ShellSyntaxError(`${spelling} is not an option of curl`, word)
}

function named(name: string): CurlOption | undefined {
  return curlOptions.find(({ long }) => long === name)
}

function shortOptions(word: ShellWord): readonly OptionInWord[] {
  const found: OptionInWord[] = []
  for (let at = 1; at < word.text.length; at++) {
    const option = curlOptions.find(({ short }) => short === word.text[at])
    if (option === undefined) throw new ShellSyntaxError(`-${word.text[at]} is not an option of curl`, word)
    const spelling = `-${option.short}`
    const rest = word.text.slice(at + 1)
    if (!option.takesValue || rest === '') {
      found.push({ option, isOff: false, spelling })
      continue
    }
    found.push({ option, attached: rest, isOff: false, spelling })
    break
  }
  return found
}
