"""Print a completion script for bash, zsh, fish or PowerShell.

bash: eval "$(tito completion bash)"
zsh: eval "$(tito completion zsh)"
fish: tito completion fish | source
PowerShell: tito completion powershell | Out-String | Invoke-Expression
"""

import argparse

from tito import console
from tito.errors import TitoError
from tito.verbs import GROUPS, verbs
from tito.workspace import find_workspace

_BASH = """_tito() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "{verbs}" -- "$word"))
{cases}
    else COMPREPLY=($(compgen -W "{modules}" -- "$word")); fi
}}
complete -o default -F _tito tito"""
_BASH_CASE = """    elif [ "$COMP_CWORD" -eq 2 ] && [ "${{COMP_WORDS[1]}}" = {group} ]; then
        COMPREPLY=($(compgen -W "{verbs}" -- "$word"))"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish", "powershell"))


def run(args: argparse.Namespace) -> int:
    groups = {group: list(verbs(group)) for group in GROUPS if verbs(group)}
    known = [*verbs(), *groups]
    try:
        modules = [module.name for module in find_workspace().modules()]
    except TitoError:  # outside a course folder the script completes verbs only
        modules = []
    console.say(_script(args.shell, known, groups, modules))
    return 0


def _script(shell: str, known: list[str], groups: dict[str, list[str]], modules: list[str]) -> str:
    if shell in ("bash", "zsh"):
        each = [_BASH_CASE.format(group=one, verbs=" ".join(groups[one])) for one in groups]
        cases = "\n".join(each) or "    elif false; then :"
        text = _BASH.format(verbs=" ".join(known), modules=" ".join(modules), cases=cases)
        return "autoload -U +X bashcompinit && bashcompinit\n" + text if shell == "zsh" else text
    if shell == "fish":
        lines = [f"__fish_use_subcommand -a {name} -d '{_help(name)}'" for name in known]
        lines += [
            f"'__fish_seen_subcommand_from {group}' -a '{' '.join(names)}'"
            for group, names in groups.items()
        ]
        lines += [f"'not __fish_use_subcommand' -a '{' '.join(modules)}'"]
        return "\n".join(f"complete -c tito -f -n {line}" for line in lines)
    every, rest = ", ".join(map(repr, known)), ", ".join(map(repr, modules))
    inner = "; ".join(f"'{group}' = @({', '.join(map(repr, groups[group]))})" for group in groups)
    return (
        "Register-ArgumentCompleter -Native -CommandName tito -ScriptBlock { param($word,"
        " $ast, $cursor)\n"
        f'  $groups = @{{ {inner} }}; $words = $ast.CommandElements | ForEach-Object {{ "$_" }}\n'
        "  $all = if ($words.Count -le 2 -and -not ($words.Count -eq 2 -and -not $word)) {"
        f" @({every}) }}"
        f" elseif ($groups.ContainsKey($words[1])) {{ $groups[$words[1]] }} else {{ @({rest}) }}\n"
        '  $all | Where-Object { $_ -like "$word*" }\n}'
    )


def _help(name: str) -> str:
    text = verbs()[name].help if name in verbs() else GROUPS[name]
    return text.replace("\\", "").replace("'", "\\'")
