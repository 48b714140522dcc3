using System;
using System.Threading.Tasks;

namespace Ipc.Tool;

/// <summary>The command <c>ipc</c>.</summary>
internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        Terminal terminal = Terminal.OfProcess();
        try
        {
            return await ToolCommand.RunAsync(args, terminal);
        }
#pragma warning disable CA1031 // the last one: a defect has an exit code, too, and scripts are not shown an abort
        catch (Exception error)
#pragma warning restore CA1031
        {
            await terminal.Error.WriteLineAsync($"ipc: a defect of this tool; please report it:\n{error}");
            return ExitCode.Internal;
        }
    }
}
