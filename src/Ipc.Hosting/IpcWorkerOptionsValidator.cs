using System;
using System.Collections.Generic;

namespace Ipc.Hosting;

/// <summary>A worker's.</summary>
internal sealed class IpcWorkerOptionsValidator<TOptions> : IpcOptionsValidator<TOptions>
    where TOptions : IpcWorkerOptions
{
    private static readonly TimeSpan _longest = TimeSpan.FromDays(20); // what a timer takes

    private protected override void Check(TOptions options, List<string> wrong)
    {
        CheckName(options.Name, options is QueueWorkerOptions ? "a queue's" : "a topic's", wrong);
        if (options.MaxAttempts < 1)
            wrong.Add("MaxAttempts is " + options.MaxAttempts + "; a message is handled once at least.");
        CheckTime("FirstPause", options.FirstPause, wrong);
        CheckTime("LongestPause", options.LongestPause, wrong);
        CheckTime("DrainTimeout", options.DrainTimeout, wrong);
        if (options.FirstPause > options.LongestPause)
            wrong.Add("FirstPause is " + options.FirstPause + "; it is no longer than LongestPause, which is " + options.LongestPause + ".");
        if (options is QueueWorkerOptions queue)
            Check(queue, wrong);
        if (options is TopicConsumerOptions { Topic: null } or TopicConsumerOptions { Reader: null })
            wrong.Add("Topic or Reader is null.");
    }

    private static void Check(QueueWorkerOptions options, List<string> wrong)
    {
        if (options.Concurrency < 1)
            wrong.Add("Concurrency is " + options.Concurrency + "; one message at least is handled at a time.");
        if (options.Queue is null)
            wrong.Add("Queue is null.");
        else if (options.Queue.SingleThreaded)
            wrong.Add("Queue.SingleThreaded is set; a worker waits on other threads than it handles on.");
        if (options.PoisonQueue is not { Length: > 0 } poison)
            return;
        CheckName(poison, "a poison queue's", wrong);
        if (poison == options.Name)
            wrong.Add("PoisonQueue is the queue itself; what was given up would come again.");
    }

    private static void CheckTime(string name, TimeSpan value, List<string> wrong)
    {
        if (value < TimeSpan.Zero || value > _longest)
            wrong.Add(name + " is " + value + "; it is 0 to 20 days.");
    }
}
