using System;
using System.Globalization;

namespace Ipc.Matrix.Cells;

/// <summary>The process that answers a group of cells.</summary>
internal static class AnsweringProcess
{
    /// <summary>Says "ready" when the other process can connect. Then a line is "cell NAME", "usage" or the number of messages of a round.</summary>
    public static int Run(Cell first, string name, Cores cores)
    {
        using Link link = Links.Create(first.Transport);
        link.Open(name, Side.Answering, Waits.Of(first.Wait), first.Serializer);
        Cores.PinProcess(cores.Answering);
        Console.WriteLine("ready");
        Work? work = null;
        while (Console.ReadLine() is { } line)
        {
            if (line.StartsWith("cell ", StringComparison.Ordinal))
            {
                work = new Work(Cell.Parse(line[5..]));
                link.Prepare(work);
                Console.WriteLine("ready");
            }
            else if (line == "usage")
            {
                Usage used = Usage.Now();
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{used.Microseconds} {used.Sleeps}"));
            }
            else
            {
                link.Answer(work!, int.Parse(line, CultureInfo.InvariantCulture));
                Console.WriteLine("done");
            }
        }

        return 0;
    }
}
