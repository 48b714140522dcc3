using System;
using System.IO;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Where a verb writes to and reads from; tests bring their own.</summary>
internal sealed class Terminal
{
    private const int WidthOfFiles = 160;

    public Terminal(TextWriter output, TextWriter error, TextReader input, bool isInteractive)
    {
        Out = output;
        Error = error;
        In = input;
        IsInteractive = isInteractive;
        Console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(output),
            Ansi = isInteractive ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = isInteractive && Environment.GetEnvironmentVariable("NO_COLOR") is null or "" ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
            Interactive = isInteractive ? InteractionSupport.Yes : InteractionSupport.No,
        });
        if (!isInteractive)
            Console.Profile.Width = WidthOfFiles; // a table that goes into a file or a pipe has no window to fit
    }

    public TextWriter Out { get; }

    public TextWriter Error { get; }

    public TextReader In { get; }

    /// <summary>Somebody looks at it while it runs.</summary>
    public bool IsInteractive { get; }

    public IAnsiConsole Console { get; }

    /// <summary>That of this process.</summary>
    public static Terminal OfProcess() =>
        new(System.Console.Out, System.Console.Error, System.Console.In, !System.Console.IsOutputRedirected && !System.Console.IsInputRedirected);
}
