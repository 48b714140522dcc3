using System.CommandLine;

namespace Ipc.Tool;

/// <summary><c>ipc completion SHELL</c>: what a shell has to run so that Tab works.</summary>
/// <remarks>Each script asks the tool itself, by the directive <c>[suggest:POSITION]</c>: so names of regions are completed, too.</remarks>
internal static class CompletionVerb
{
    private const string Bash = """
        # ipc completion bash > ~/.local/share/bash-completion/completions/ipc
        _ipc() {
            local IFS=$'\n'
            COMPREPLY=($(ipc "[suggest:$COMP_POINT]" "$COMP_LINE" 2>/dev/null))
        }
        complete -F _ipc ipc
        """;

    private const string Zsh = """
        #compdef ipc
        # ipc completion zsh > "${fpath[1]}/_ipc"
        _ipc() {
            local -a found
            found=("${(@f)$(ipc "[suggest:$CURSOR]" "$BUFFER" 2>/dev/null)}")
            compadd -- $found
        }
        compdef _ipc ipc
        """;

    private const string Fish = """
        # ipc completion fish > ~/.config/fish/completions/ipc.fish
        complete -f -c ipc -a '(ipc "[suggest:"(commandline -C)"]" (commandline) 2>/dev/null)'
        """;

    private const string Pwsh = """
        # ipc completion pwsh >> $PROFILE
        Register-ArgumentCompleter -Native -CommandName ipc -ScriptBlock {
            param($word, $line, $position)
            ipc "[suggest:$position]" "$line" | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
        }
        """;

    public static Command Create(Terminal terminal)
    {
        var shell = new Argument<string>("SHELL") { Description = "bash, zsh, fish or pwsh.", HelpName = "SHELL" };
        shell.AcceptOnlyFromAmong("bash", "zsh", "fish", "pwsh");
        var command = new Command("completion", "Prints what makes Tab complete verbs, options and names of regions in a shell.") { shell };
        command.SetAction(parsed =>
        {
            terminal.Out.WriteLine(parsed.GetRequiredValue(shell) switch { "bash" => Bash, "zsh" => Zsh, "fish" => Fish, _ => Pwsh });
            return ExitCode.Ok;
        });
        return command;
    }
}
