/**
 * The completion script for fish.
 *
 * Rules: one `complete` line for each sub-command, option and argument; files are offered only for file values.
 */
import { type CommandSpecification, globalOptions, type OptionSpecification } from '../options/option-table.ts'
import {
  type Candidates,
  lettersWithValue,
  optionCandidates,
  positionalCandidates,
  takesNextWord,
} from './candidates.ts'

/**
 * @param alias another name of httpcli, for which the script also sets up completion; fish completes the command that
 * it stands for
 */
export function fishCompletion(commands: readonly CommandSpecification[], alias?: string): string {
  return `# Completion of httpcli for fish, printed by "httpcli completion fish".

# Whether the sub-command is the given one.
function __httpcli_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return 1
    test $words[2] = $argv[1]; and return 0
    # A request without a sub-command is one of send.
    test $argv[1] = send; and not contains -- $words[2] ${commands.map(({ name }) => name).join(' ')}
    and string match -qr -- '^[A-Z]|[.:/]|^localhost$|^-' $words[2]
end

# __httpcli_place <sub-command> <place> <options with a value> <their letters>
# Whether a word typed now would be at this position, counted from 0; "any" is every position.
function __httpcli_place
    __httpcli_command $argv[1]; or return 1
    string match -q -- '-*' (commandline -ct); and return 1
    test $argv[2] = any; and return 0
    set -l words (commandline -opc)
    set -l place 0
    set -l pending 0
    set -l begin 3
    test $words[2] = $argv[1]; or set begin 2
    for word in $words[$begin..-1]
        if test $pending = 1
            set pending 0
        else if string match -qr -- '^--' $word
            contains -- $word (string split ' ' -- $argv[3]); and set pending 1
        else if string match -qr -- '^-.' $word
            string match -qr -- "^-[^$argv[4]]*[$argv[4]]\\$" $word; and set pending 1
        else
            set place (math $place + 1)
        end
    end
    test $place = $argv[2]
end

# __httpcli_files <pattern of endings>
function __httpcli_files
    set -l word (commandline -ct)
    complete -C "'' $word" | string match -er -- '.(?:/|'$argv[1]')$'
end

# __httpcli_names <environments, requests or tags>: names in the files of the line
function __httpcli_names
    set -l words (commandline -opc | string replace -r '^~/' "$HOME/")
    $words[1] completion $argv[1] -- $words[2..-1] 2>/dev/null
end

complete -c httpcli -f
${globalOptions.map((option) => line("'__fish_is_first_arg'", optionNames(option), option.description)).join('\n')}
${commands.map(({ name, summary }) => line("'__fish_is_first_arg'", `-a ${name}`, summary)).join('\n')}

${commands.flatMap((command) => [...command.options.map((option) => optionLine(command, option)), ...placeLines(command)]).join('\n')}
${alias === undefined ? '' : `alias ${alias} httpcli\n`}`
}

function optionLine(command: CommandSpecification, option: OptionSpecification): string {
  const value = takesNextWord(option) ? ` -r ${offer(optionCandidates(option))}` : ''
  return line(quoted(`__httpcli_command ${command.name}`), `${optionNames(option)}${value}`, option.description)
}

function optionNames({ long, short }: OptionSpecification): string {
  return short === undefined ? `-l ${long}` : `-s ${short} -l ${long}`
}

function placeLines(command: CommandSpecification): readonly string[] {
  const optionsWithValues = command.options.filter(takesNextWord).map(({ long }) => `--${long}`)
  return command.positionals.flatMap((positional, index) => {
    const candidates = positionalCandidates(positional)
    if (candidates.type === 'none') return []
    const letters = lettersWithValue(command) || '-'
    const place = positional.repeatable ? 'any' : index
    const condition = `__httpcli_place ${command.name} ${place} "${optionsWithValues.join(' ')}" "${letters}"`
    const text = positional.choices === undefined ? positional.description : ''
    return [line(quoted(condition), offer(candidates), text)]
  })
}

function offer(candidates: Candidates): string {
  switch (candidates.type) {
    case 'words':
      return `-f -a ${quoted(candidates.words.join(' '))}`
    case 'files':
      return candidates.endings.length === 0
        ? '-F'
        : `-f -k -a ${quoted(`(__httpcli_files ${endingPattern(candidates.endings)})`)}`
    case 'directories':
      return `-f -a '(__fish_complete_directories)'`
    case 'names':
      return `-f -k -a '(__httpcli_names ${candidates.kind})'`
    case 'none':
      return '-f'
  }
}

/** A pattern in double quotes, inside an argument in single quotes. */
function endingPattern(endings: readonly string[]): string {
  return `"${endings.map((ending) => ending.replace('.', '[.]')).join('|')}"`
}

function line(condition: string, offered: string, text: string): string {
  const explained = text === '' ? '' : ` -d ${quoted(text)}`
  return `complete -c httpcli -n ${condition} ${offered}${explained}`
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (found) => `\\${found}`)}'`
}
