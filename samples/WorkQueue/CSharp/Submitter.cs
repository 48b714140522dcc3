using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Ipc;

namespace WorkQueue;

/// <summary>Puts every file of a folder into the queue and waits for all the answers.</summary>
internal static class Submitter
{
    public static int Run(string name, string folder)
    {
        // snippet: submitter
        QueueOptions options = new() { BlockSize = 120, BlockCount = 64, MaxExpansions = 15 }; // longer names travel as loans
        using SharedQueue jobs = SharedQueue.Open(name + ".jobs", options);
        using SharedQueue results = SharedQueue.Open(name + ".results", options);
        // end-snippet

        EnumerationOptions all = new() { RecurseSubdirectories = true, IgnoreInaccessible = true, AttributesToSkip = FileAttributes.ReparsePoint };
        HashSet<string> waiting = new(Directory.EnumerateFiles(folder, "*", all).Take(20_000));
        int files = waiting.Count, twice = 0, unmarked = 0;
        long lines = 0;
        foreach (string file in waiting.ToArray())
        {
            byte[] path = Encoding.UTF8.GetBytes(file);
            while (!jobs.TrySend(path, Job.Work))
                Answer(results, Deadline.After(TimeSpan.FromMilliseconds(1)));
        }

        while (waiting.Count > 0)
        {
            if (!Answer(results, Deadline.After(TimeSpan.FromSeconds(20))))
                break;
        }

        Console.WriteLine($"files {files}, lines {lines}, lost {waiting.Count}, answered twice {twice}, of these not marked {unmarked}, segments {jobs.GetInfo().Segments}");
        return waiting.Count == 0 && unmarked == 0 ? 0 : 1;

        bool Answer(SharedQueue queue, Deadline deadline)
        {
            if (queue.Receive(out QueueMessage message, deadline) != IpcStatus.Ok)
                return false;
            string[] parts = Encoding.UTF8.GetString(message.Payload).Split('\t');
            message.Release();
            if (waiting.Remove(parts[0]))
            {
                lines += Math.Max(0, long.Parse(parts[1]));
            }
            else
            {
                twice++; // its worker died between the answer and the release
                unmarked += parts[2] == "again" ? 0 : 1;
            }

            return true;
        }
    }
}
