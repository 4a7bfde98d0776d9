/**
 * The completion script for zsh: a file for a directory of `$fpath`, and a text for `source`.
 *
 * Rules: `_arguments` of zsh does the work: it tracks which options were given, which cannot be used together, and how
 * values are attached. Descriptions are escaped for it: `:`, `[` and `]` are special there.
 */
import {
  type CommandSpecification,
  globalOptions,
  type OptionSpecification,
  type PositionalSpecification,
} from '../options/option-table.ts'
import { type Candidates, optionCandidates, positionalCandidates, spellings } from './candidates.ts'

/**
 * @param alias another name of httpcli, for which the script also sets up completion; zsh completes the command that it
 * stands for
 */
export function zshCompletion(commands: readonly CommandSpecification[], alias?: string): string {
  return `#compdef httpcli
# Completion of httpcli for zsh, printed by "httpcli completion zsh".

# _httpcli_names <options of compadd>... <environments, requests or tags>: names in the files of the line
_httpcli_names() {
  local -a names
  names=(\${(f)"$("$httpcli_line[1]" completion "$@[-1]" -- "\${(@)httpcli_line[2,-1]}" 2>/dev/null)"})
  compadd "\${@[1,-2]}" -a names
}

_httpcli() {
  local -a httpcli_line=("\${(@Q)words[1,CURRENT-1]}")
  httpcli_line=("\${(@)httpcli_line/#\\~\\//$HOME/}")
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${quoted(`${name}:${escaped(summary)}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      compadd -- ${globalOptions.flatMap(spellings).join(' ')}
    else
      _describe -t commands 'sub-command' commands
    fi
    return
  fi
  local command=$words[2]
  # A request without a sub-command is one of send.
  if [[ $command != (${commands.map(({ name }) => name).join('|')}) && $command == ([[:upper:]]*|*[.:/]*|localhost|-*) ]]; then
    command=send
  else
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _httpcli ]]; then
  _httpcli "$@"
else
  compdef _httpcli httpcli
${alias === undefined ? '' : `  alias ${alias}=httpcli\n`}fi
`
}

function commandCase(command: CommandSpecification): string {
  const lines = [
    ...command.options.map((option) => optionSpec(command, option)),
    ...command.positionals.map(positionalSpec),
  ]
  return [
    `    ${command.name})`,
    `      _arguments -s -S \\`,
    lines.map((line) => `        ${line}`).join(' \\\n'),
    `      ;;`,
  ].join('\n')
}

/** One specification for all spellings, which cannot be used together unless the option may be repeated. */
function optionSpec(command: CommandSpecification, option: OptionSpecification): string {
  const excluded = command.exclusive
    .filter((group) => group.includes(option.long))
    .flat()
    .flatMap((name) => command.options.find(({ long }) => long === name) ?? [])
    .flatMap(spellings)
  const others = [...new Set([...spellings(option), ...excluded])].join(' ')
  const prefix = option.repeatable ? '*' : `(${others})`
  const specs = spellings(option).map((spelling) =>
    quoted(`${prefix}${spelling}${valueMark(option, spelling)}[${escaped(option.description)}]${valueSpec(option)}`),
  )
  return specs.join(' ')
}

/** How a value is attached: `--name=value` or the next word, `-n value` or the rest of the word. */
function valueMark({ argument, isValueOptional }: OptionSpecification, spelling: string): string {
  if (argument === undefined) return ''
  if (isValueOptional) return '=-'
  return spelling.startsWith('--') ? '=' : '+'
}

function valueSpec(option: OptionSpecification): string {
  if (option.argument === undefined) return ''
  const colons = option.isValueOptional ? '::' : ':'
  return `${colons}${escaped(option.argument)}:${action(optionCandidates(option))}`
}

function positionalSpec(positional: PositionalSpecification): string {
  const mark = positional.repeatable ? '*:' : positional.required ? ':' : '::'
  return quoted(`${mark}${escaped(positional.name)}:${action(positionalCandidates(positional))}`)
}

function action(candidates: Candidates): string {
  switch (candidates.type) {
    case 'words':
      return `(${candidates.words.join(' ')})`
    case 'files':
      return candidates.endings.length === 0
        ? '_files'
        : `_files -g "*(${candidates.endings.map((ending) => ending.replace('.', '\\.')).join('|')})"`
    case 'directories':
      return '_files -/'
    case 'names':
      return `_httpcli_names ${candidates.kind}`
    // A blank would show the description; a message would keep zsh from inserting the only matching option.
    case 'none':
      return '( )'
  }
}

function escaped(text: string): string {
  return text.replace(/[\\:[\]]/g, (found) => `\\${found}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
