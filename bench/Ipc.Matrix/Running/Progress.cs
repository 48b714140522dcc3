using System;
using System.Diagnostics;

namespace Ipc.Matrix;

/// <summary>One line that says where the run is, no longer than the terminal is wide; without a terminal a line now and then.</summary>
internal sealed class Progress(int all)
{
    private const int Default = 80;
    private const int EachSilent = 25; // without a terminal: one line for so many

    private readonly long _began = Stopwatch.GetTimestamp();
    private int _done;
    private int _said = -1;

    public void Show(string name, int failed)
    {
        TimeSpan took = Stopwatch.GetElapsedTime(_began);
        string text = $"{_done + 1} of {all} {took:m\\:ss}{(failed > 0 ? $" {failed} failed" : "")} {name}";
        if (Console.IsErrorRedirected)
        {
            if (_done % EachSilent == 0 && _done != _said)
                Console.Error.WriteLine("  " + text);
            _said = _done;
            return;
        }

        Console.Error.Write("\r\e[K" + Cut(text, Width() - 1));
    }

    public void Done() => _done++;

    public void Failed(string name, string reason)
    {
        _done++;
        Clear();
        Console.Error.WriteLine($"failed: {name}");
        Console.Error.WriteLine($"  {reason}");
    }

    public static void Clear()
    {
        if (!Console.IsErrorRedirected)
            Console.Error.Write("\r\e[K");
    }

    private static string Cut(string text, int width) => text.Length <= width ? text : width > 1 ? text[..(width - 1)] + "…" : "";

    private static int Width()
    {
        try
        {
            return Console.WindowWidth > 0 ? Console.WindowWidth : Default;
        }
        catch (System.IO.IOException) // no terminal after all
        {
            return Default;
        }
    }
}
