# bash completion of rigor: commands and options from the program's own help, scenes from its list.
_rigor() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
    return
  fi
  local command=${COMP_WORDS[1]}
  case $previous in
    --format) words='csv hdf5 gltf html' ;;
    --interpolate) words='linear hermite' ;;
    help) words=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p') ;;
  esac
  if [ -z "$words" ]; then
    case $current in
      -*) words=$("$program" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u) ;;
      *)
        case $command in
          run | explore | view | check | compare) words=$("$program" scenes 2>/dev/null | sed 's/ .*//') ;;
        esac
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; case $current in -*) ;; *) compgen -f -- "$current" ;; esac)
}
complete -o filenames -F _rigor rigor
