/**
 * The completion script for bash.
 *
 * Rules: the script needs only bash 3.2 or later. Bash splits words at `=` and `:`; the script joins them again, so
 * that `--color=al` and a URL are one word each. Options are offered once a dash is typed, values only for options and
 * arguments that have candidates.
 */
import { type CommandSpecification, globalOptions } from '../options/option-table.ts'
import {
  type Candidates,
  lettersWithValue,
  optionCandidates,
  positionalCandidates,
  spellings,
  takesNextWord,
} from './candidates.ts'

/** @param alias another name of httpcli, for which the script also sets up completion */
export function bashCompletion(commands: readonly CommandSpecification[], alias?: string): string {
  const names = commands.map(({ name }) => name)
  const globals = globalOptions.flatMap(spellings).join(' ')
  return `# Completion of httpcli for bash, printed by "httpcli completion bash".

# _httpcli_words <begin> <word>...
_httpcli_words() {
  local begin=$1 word
  shift
  for word in "$@"; do
    [[ $word == "$begin"* ]] && COMPREPLY+=("$word")
  done
}

# _httpcli_files <begin> [<ending>...]
_httpcli_files() {
  local begin=$1 path ending
  shift
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if [[ $# -eq 0 || -d \${path/#\\~/$HOME} ]]; then COMPREPLY+=("$path"); continue; fi
    for ending in "$@"; do
      [[ $path == *"$ending" ]] && COMPREPLY+=("$path")
    done
  done < <(compgen -f -- "$begin")
}

# _httpcli_directories <begin>
_httpcli_directories() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen -d -- "$1")
}

# _httpcli_names <environments, requests or tags>: names in the files of the line
_httpcli_names() {
  local raw=\${words[last]} quote= kept= begin line=() name program=\${words[0]/#~//$HOME/}
  [[ $(type -t "$program") == alias ]] && program=httpcli
  [[ -z $ended && $raw == --*=* ]] && raw=\${raw#*=}
  case $raw in
    [\\"\\']*) quote=\${raw:0:1} begin=\${raw:1} ;;
    # Bash replaces only what is after the last : or =.
    *) kept=\${raw%"\${raw##*[:=]}"} begin=\${raw//\\\\/} ;;
  esac
  for name in "\${words[@]:1:last-1}"; do
    name=\${name//[\\\\\\"\\']/}
    line+=("\${name/#\\~\\//$HOME/}")
  done
  while IFS= read -r name; do
    [[ $name == "$begin"* ]] || continue
    case $quote in
      \\') name=\${name//\\'/\\'\\\\\\'\\'} ;;
      \\") name=\${name//\\\\/\\\\\\\\} name=\${name//\\"/\\\\\\"} name=\${name//\\$/\\\\\\$} name=\${name//\\\`/\\\\\\\`} ;;
      *) name=$(printf '%q' "$name") ;;
    esac
    COMPREPLY+=("\${name#"$kept"}")
  done < <("$program" completion "$1" -- "\${line[@]}" 2>/dev/null)
}

# _httpcli_value <sub-command> <option or place> <begin>
_httpcli_value() {
  case "$1 $2" in
${commands.flatMap(valueCases).join('\n')}
  esac
}

_httpcli() {
  COMPREPLY=()
  local line=\${COMP_LINE:0:COMP_POINT} words=() word rest index
  for ((index = 0; index <= COMP_CWORD; index++)); do
    rest=\${line#"\${line%%[![:space:]]*}"}
    word=\${COMP_WORDS[index]}
    ((index == COMP_CWORD)) && word=$rest
    if ((index > 0)) && [[ $rest == "$line" ]]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    line=\${rest#"$word"}
  done

  local last=$((\${#words[@]} - 1)) command=\${words[1]} options takers letters
  local current=\${words[last]#[\\'\\"]}
  if ((last == 1)); then
    if [[ $current == -* ]]; then
      _httpcli_words "$current" ${globals}
    else
      _httpcli_words "$current" ${names.join(' ')}
    fi
    return
  fi
  # A request without a sub-command is one of send.
  local begin=2
  case $command in
    ${names.join('|')}) ;;
    [[:upper:]]*|*[.:/]*|localhost|-*) command=send begin=1 ;;
  esac
  case $command in
${commands.map(commandCase).join('\n')}
    *) return ;;
  esac

  local pending= place=0 ended=
  for ((index = begin; index < last; index++)); do
    word=\${words[index]}
    if [[ -n $pending ]]; then pending=; continue; fi
    if [[ -n $ended || $word == - || $word != -* ]]; then ((place++)); continue; fi
    if [[ $word == -- ]]; then ended=1; continue; fi
    if [[ $word == --* ]]; then
      [[ " $takers " == *" $word "* ]] && pending=$word
      continue
    fi
    # Bundled letters: the first that takes a value takes the rest of the word or, at its end, the next one.
    while word=\${word:1}; [[ -n $word ]]; do
      [[ $letters == *"\${word:0:1}"* ]] || continue
      [[ \${#word} -eq 1 ]] && pending=-$word
      break
    done
  done

  if [[ -n $pending ]]; then
    _httpcli_value "$command" "$pending" "$current"
  elif [[ -z $ended && $current == --*=* ]]; then
    _httpcli_value "$command" "\${current%%=*}" "\${current#*=}"
  elif [[ -z $ended && $current == -* ]]; then
    _httpcli_words "$current" $options
  else
    _httpcli_value "$command" "$place" "$current"
  fi
}

complete -F _httpcli httpcli
${alias === undefined ? '' : `alias ${alias}=httpcli\ncomplete -F _httpcli ${alias}\n`}`
}

function commandCase(command: CommandSpecification): string {
  const options = command.options.flatMap(spellings).join(' ')
  const optionsWithValues = command.options
    .filter(takesNextWord)
    .map(({ long }) => `--${long}`)
    .join(' ')
  return `    ${command.name}) options='${options}' takers='${optionsWithValues}' letters='${lettersWithValue(command)}' ;;`
}

function valueCases(command: CommandSpecification): readonly string[] {
  const ofOptions = command.options.flatMap((option) => {
    const patterns = spellings(option).map((spelling) => `'${command.name} ${spelling}'`)
    return valueCase(patterns.join('|'), optionCandidates(option))
  })
  const ofPlaces = command.positionals.flatMap((positional, index) => {
    const pattern = positional.repeatable ? `'${command.name} '[0-9]*` : `'${command.name} ${index}'`
    return valueCase(pattern, positionalCandidates(positional))
  })
  return [...ofOptions, ...ofPlaces]
}

function valueCase(pattern: string, candidates: Candidates): readonly string[] {
  const call = shellCall(candidates)
  return call === undefined ? [] : [`    ${pattern}) ${call} ;;`]
}

function shellCall(candidates: Candidates): string | undefined {
  switch (candidates.type) {
    case 'words':
      return `_httpcli_words "$3" ${candidates.words.join(' ')}`
    case 'files':
      return ['_httpcli_files "$3"', ...candidates.endings].join(' ')
    case 'directories':
      return '_httpcli_directories "$3"'
    case 'names':
      return `_httpcli_names ${candidates.kind}`
    case 'none':
      return undefined
  }
}
