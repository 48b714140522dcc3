using System;
using System.IO;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Where a verb writes to and reads from; tests bring their own.</summary>
/// <remarks>Nothing that others wrote comes through as a command to the terminal: not by the writers, and not by the tables. Colours are the console's alone.</remarks>
internal sealed class Terminal
{
    private const int WidthOfFiles = 160;

    public Terminal(TextWriter output, TextWriter error, TextReader input, bool isInteractive)
    {
        Out = new TameWriter(output);
        Error = new TameWriter(error);
        In = input;
        IsInteractive = isInteractive;
        Console = ConsoleOf(
            output,
            isInteractive ? AnsiSupport.Detect : AnsiSupport.No,
            isInteractive && Environment.GetEnvironmentVariable("NO_COLOR") is null or "" ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
            isInteractive ? InteractionSupport.Yes : InteractionSupport.No);
        if (!isInteractive)
            Console.Profile.Width = WidthOfFiles; // a table that goes into a file or a pipe has no window to fit
    }

    public TextWriter Out { get; }

    public TextWriter Error { get; }

    public TextReader In { get; }

    /// <summary>Somebody looks at it while it runs.</summary>
    public bool IsInteractive { get; }

    public IAnsiConsole Console { get; }

    /// <summary>A console that draws tamed texts.</summary>
    internal static IAnsiConsole ConsoleOf(TextWriter output, AnsiSupport ansi, ColorSystemSupport colors, InteractionSupport interaction = InteractionSupport.No)
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(output), // not a tame writer: it would take the colours away, too
            Ansi = ansi,
            ColorSystem = colors,
            Interactive = interaction,
        });
        console.Pipeline.Attach(new TameTables());
        return console;
    }

    /// <summary>That of this process.</summary>
    public static Terminal OfProcess() =>
        new(System.Console.Out, System.Console.Error, System.Console.In, !System.Console.IsOutputRedirected && !System.Console.IsInputRedirected);
}
