using System;
using System.Collections.Generic;
using System.Diagnostics;
using Ipc;

namespace Ticker;

internal static class Reader
{
    public static int Run(string name, TopicPolicy policy, int microsecondsPerPrice, int writers)
    {
        long read = 0, lost = 0, written = 0;
        int ended = 0;
        Dictionary<(int Writer, ulong Symbol), long> next = []; // a writer's prices of a symbol come in order
        bool inOrder = true;
        double[] last = new double[Price.Symbols.Length];
        IpcStatus status = IpcStatus.Ok;

        // snippet: reader
        using TopicReader topic = TopicReader.Open(name, reader: new TopicReaderOptions { Policy = policy });
        while (ended < writers && (status = topic.Read(out TopicMessage message, TimeSpan.FromSeconds(30))) == IpcStatus.Ok)
        {
            lost += message.Lost;
            if (message.Type == Price.End)
            {
                written += (long)message.Key;
                ended++;
            }
            else
            {
                (double price, long number) = Price.Read(message.Payload);
                inOrder &= number >= next.GetValueOrDefault((message.Writer, message.Key));
                next[(message.Writer, message.Key)] = number + 1;
                last[message.Key] = price;
                read++;
                Work(microsecondsPerPrice);
            }

            topic.Release();
        }
        // end-snippet

        string what = policy == TopicPolicy.Latest ? "passed over for newer ones" : "lost";
        Console.WriteLine($"C# {policy}: read {read} of {written}, {what} {lost}{(inOrder ? "" : ", OUT OF ORDER")}, last {Price.Symbols[0]} {last[0]:F3}{(status == IpcStatus.Ok ? "" : ", ended with " + status)}");
        bool evicted = policy == TopicPolicy.Evict && status == IpcStatus.Evicted;
        return inOrder && (evicted || ended == writers && (policy is TopicPolicy.Lossy or TopicPolicy.Latest || read == written)) ? 0 : 1;
    }

    private static void Work(int microseconds)
    {
        long began = Stopwatch.GetTimestamp();
        while (microseconds > 0 && Stopwatch.GetElapsedTime(began).TotalMicroseconds < microseconds)
        {
        }
    }
}
