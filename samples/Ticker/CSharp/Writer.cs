using System;
using Ipc;

namespace Ticker;

internal static class Writer
{
    public static int Run(string name, int count, int readers)
    {
        // snippet: writer
        using TopicWriter topic = TopicWriter.Open(name);
        if (topic.WaitForReaders(readers, TimeSpan.FromSeconds(30)) != IpcStatus.Ok)
        {
            Console.Error.WriteLine($"fewer than {readers} readers came");
            return 1;
        }

        double[] prices = new double[Price.Symbols.Length];
        Random random = new();
        for (int i = 0; i < count; i++)
        {
            int symbol = i % prices.Length;
            prices[symbol] += random.NextDouble() - 0.5;
            if (topic.Claim(Price.Size, out TopicClaim claim, TimeSpan.FromSeconds(10)) != IpcStatus.Ok)
            {
                Console.Error.WriteLine($"held up by {topic.SlowReader}");
                return 1;
            }

            Price.Write(claim.Payload, prices[symbol], i);
            claim.Commit(Price.Size, Price.Type, key: (ulong)symbol);
        }
        // end-snippet

        if (topic.Publish(default, Price.End, (ulong)count, Deadline.After(TimeSpan.FromSeconds(10))) != IpcStatus.Ok)
        {
            Console.Error.WriteLine($"held up at the end by {topic.SlowReader}");
            return 1;
        }

        Console.WriteLine($"wrote {count} prices");
        return 0;
    }
}
