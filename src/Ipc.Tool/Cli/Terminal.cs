using System;
using System.IO;
using Spectre.Console;

namespace Ipc.Tool;

/// <summary>Where a verb writes to and reads from; tests bring their own.</summary>
/// <remarks>Nothing that others wrote comes through as a command to the terminal: not by the writers, and not by the tables. Colours are the console's alone.</remarks>
internal sealed class Terminal
{
    /// <summary>A table that goes into a file or a pipe has no window to fit.</summary>
    private const int WidthOfFiles = 4096;

    private readonly bool _hasWindow;

    /// <param name="output">For results.</param>
    /// <param name="error">For errors, and what else is no result.</param>
    /// <param name="input">What verbs read.</param>
    /// <param name="isInteractive">Somebody looks at it while it runs, and can press keys.</param>
    /// <param name="width">Of the window to fit; null: there is none, 0: as wide as it is at that moment.</param>
    public Terminal(TextWriter output, TextWriter error, TextReader input, bool isInteractive, int? width = null)
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
        _hasWindow = width is not null;
        if (width is not 0)
            Console.Profile.Width = width ?? WidthOfFiles;
    }

    public TextWriter Out { get; }

    public TextWriter Error { get; }

    public TextReader In { get; }

    /// <summary>The same input, for who takes bytes as they are.</summary>
    public Stream InBytes { get; init; } = Stream.Null;

    /// <summary>Somebody looks at it while it runs, and can press keys.</summary>
    public bool IsInteractive { get; }

    /// <summary>Of the window that results go to, at this moment; null when they go to a file or a pipe.</summary>
    public int? Width => _hasWindow ? Console.Profile.Width : null;

    public IAnsiConsole Console { get; }

    /// <summary>Whether somebody reads the output; null: it is nothing that can lose its reader.</summary>
    public Func<bool>? HasReader { get; init; }

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
    public static Terminal OfProcess()
    {
        PipeOutput? pipe = PipeOutput.OfProcess();
        if (pipe is not null)
            System.Console.SetOut(new StreamWriter(pipe, System.Console.OutputEncoding) { AutoFlush = true }); // synchronized by the console
        return new(System.Console.Out, System.Console.Error, System.Console.In, !System.Console.IsOutputRedirected && !System.Console.IsInputRedirected, System.Console.IsOutputRedirected ? null : 0)
        {
            InBytes = System.Console.OpenStandardInput(),
            HasReader = pipe is null ? null : pipe.HasReader,
        };
    }

    /// <summary>Ends a verb that waits for something to print, when nobody reads it any more.</summary>
    public void RequireReader()
    {
        if (HasReader?.Invoke() == false)
            throw new OutputClosedException();
    }

    /// <summary>A sentence, on as many lines as the window makes of it.</summary>
    public void WriteSentence(string text)
    {
        foreach (string line in Folding.Lines(Tame.Line(text), Width ?? int.MaxValue))
            Out.WriteLine(line);
    }
}
