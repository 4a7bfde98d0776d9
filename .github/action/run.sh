#!/usr/bin/env bash
# Runs httpcli with the arguments of the action. `run` also reports: annotations, the summary of the step, files to upload.
#
# Environment: ARGUMENTS, RUNNER_TEMP. Output: reports, the directory with report.html and junit.xml, for `run` only.
# Rules: quotes and backslashes group words as in a shell; the shell expands and executes nothing of them, whatever a workflow
# puts into its arguments. Written for Bash 3.2, which macOS has.
set -eo pipefail

lines=$(printf '%s\n' "$ARGUMENTS" | xargs -n 1 printf '%s\n') || {
  echo '::error title=httpcli::the arguments cannot be read: a quote is not closed'
  exit 1
}
words=()
while IFS= read -r word; do
  words+=("$word")
done <<<"$lines"

# has_word <word>: whether it is one of the arguments
has_word() {
  local word
  for word in "${words[@]}"; do
    [ "$word" != "$1" ] || return 0
  done
  return 1
}

# A dry run has no results.
if [ "${words[0]}" = run ] && ! has_word --dry-run; then
  # One directory for each use of the action in a job.
  reports=$RUNNER_TEMP/httpcli-reports-$$
  echo "reports=$reports" >>"$GITHUB_OUTPUT"
  added=(--report "html=$reports/report.html" --report "junit=$reports/junit.xml")
  # With --json, standard output is for events only: no annotations.
  has_word --json || added+=(--report github)
  words=(run "${added[@]}" "${words[@]:1}")
fi

# Git for Windows would take an argument such as /api for a path of its own.
export MSYS2_ARG_CONV_EXCL='*'
exec httpcli "${words[@]}"
