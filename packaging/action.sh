#!/bin/bash
# What action.yml runs: installs the wheel, runs the command, writes the job's summary, and ends as the command did.
#   VISQ_WHEEL       what pip installs
#   VISQ_COMMAND     compare, diagnose or check
#   VISQ_ARGUMENTS   its words, one a line
# and GitHub's own RUNNER_TEMP, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY.
set -euo pipefail

venv=$RUNNER_TEMP/visqerror
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "$VISQ_WHEEL"

words=()
while IFS= read -r line; do
  line="${line#"${line%%[![:space:]]*}"}"
  line="${line%"${line##*[![:space:]]}"}"
  if [ -n "$line" ]; then words+=("$line"); fi
done <<< "$VISQ_ARGUMENTS"

results=$RUNNER_TEMP/visqerror-results
mkdir -p "$results"
rm -f "$results"/*
code=0
"$venv/bin/visqerror" "$VISQ_COMMAND" "${words[@]}" --write "markdown=$results/summary.md" --write "sarif=$results/visqerror.sarif" \
  --json "$results/result.json" || code=$?

if [ -f "$results/summary.md" ]; then cat "$results/summary.md" >> "$GITHUB_STEP_SUMMARY"; fi
{
  echo "exit-code=$code"
  if [ -f "$results/result.json" ]; then echo "json=$results/result.json"; fi
  if [ -f "$results/visqerror.sarif" ]; then echo "sarif=$results/visqerror.sarif"; fi
} >> "$GITHUB_OUTPUT"
exit "$code"
