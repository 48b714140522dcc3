using System;
using System.IO;
using System.Text;
using Ipc;

namespace WorkQueue;

/// <summary>A worker: takes a file's name, counts, answers, and only then says that it is done.</summary>
internal static class Counter
{
    public static int Run(string name)
    {
        // snippet: worker
        using SharedQueue jobs = SharedQueue.Open(name + ".jobs");
        using SharedQueue results = SharedQueue.Open(name + ".results");
        while (jobs.Receive(out QueueMessage job, Deadline.Never) == IpcStatus.Ok && job.Type != Job.Stop)
        {
            string file = Encoding.UTF8.GetString(job.Payload);
            string answer = $"{file}\t{CountLines(file)}\t{(job.Redelivered ? "again" : "first")}";
            if (results.Send(Encoding.UTF8.GetBytes(answer), Job.Work, Deadline.Never) != IpcStatus.Ok)
                return 1; // nobody takes answers any more: the job is not released, so another worker gets it
            job.Release(); // killed before this line: another worker gets the job, marked as redelivered
        }
        // end-snippet

        return 0;
    }

    private static long CountLines(string file)
    {
        try
        {
            long lines = 0;
            foreach (byte value in File.ReadAllBytes(file))
                lines += value == '\n' ? 1 : 0;
            return lines;
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            return -1; // not readable: an answer like any other
        }
    }
}
