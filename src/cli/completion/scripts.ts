/** The script for each shell. All call `nokosu complete`, which prints one candidate per line: the word, a tab, its description. */

const BASH = `# nokosu: completion for bash. Load it with: source <(nokosu completion bash)
_nokosu() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    printf -v word '%q' "\${line%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(nokosu complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  return 0
}
complete -o default -F _nokosu nokosu
`

const ZSH = `#compdef nokosu
# nokosu: completion for zsh. Load it with: source <(nokosu completion zsh)
_nokosu() {
  local -a lines shown values
  local line
  lines=("\${(@f)$(nokosu complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    [[ -z $line ]] && continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${\${line/$'\\t'/  -- }%  -- }")
  done
  if (( \${#values} )); then
    compadd -l -d shown -a values
  else
    _files
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _nokosu nokosu
`

const FISH = `# nokosu: completion for fish. Load it with: nokosu completion fish | source
function __nokosu_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l found (nokosu complete -- $words (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c nokosu -f -a '(__nokosu_complete)'
`

export const SCRIPTS: Record<string, string> = { bash: BASH, zsh: ZSH, fish: FISH }
