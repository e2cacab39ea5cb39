# The part of bash's completion that no command changes; the tables that it looks into are put before it.
# Where "=" parts a word into three, the option stands two words before the value. Lists are completed behind their last comma.
_visqerror() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} values head
  COMPREPLY=()
  if [[ $current == '=' ]]; then
    current=
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
    [[ $before == -* ]] || before='<file>'
  fi
  [[ " $(_visqerror_commands) " == *" $command "* ]] && (( COMP_CWORD > 1 )) || command=
  if [[ $before == '<file>' ]]; then
    values=$before
  else
    values=$(_visqerror_values "$command" "$before")
  fi
  if [[ -z $values && $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_visqerror_options "$command")" -- "$current")
  elif [[ $values == '<folder>' ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  elif [[ -z $values || $values == '<file>' ]]; then
    compopt -o filenames 2> /dev/null
    mapfile -t COMPREPLY < <(
      (( COMP_CWORD == 1 )) && compgen -W "$(_visqerror_commands)" -- "$current"
      compgen -f -- "$current"
    )
  elif [[ $values != '<text>' ]]; then
    [[ $current == *,* ]] && head=${current%,*},
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$values" -- "${current##*,}")
    [[ ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2> /dev/null
  fi
  return 0
}

complete -F _visqerror visqerror
