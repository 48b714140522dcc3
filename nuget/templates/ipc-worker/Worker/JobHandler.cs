using Ipc.Hosting;
using Microsoft.Extensions.Logging;

namespace IpcWorker._1;

/// <summary>
/// Does a job. A queue delivers each message at least once: when a worker dies with a job in hand, another one gets the job, and nobody knows how far the first one was.
/// So a job is done in a way that twice is the same as once, or what it has done is looked up before.
/// </summary>
public sealed class JobHandler(Results results, ILogger<JobHandler> log) : IQueueHandler<Job>
{
    public async ValueTask HandleAsync(Job job, QueueDelivery delivery, CancellationToken cancellationToken)
    {
        if (delivery.Redelivered && results.Has(job.Number))
        {
            log.LogWarning("{Number} was done already: its worker died right after that", job.Number);
            return;
        }

        string again = delivery.Attempt > 1 ? $", attempt {delivery.Attempt}" : "";
        log.LogInformation("{Number} begins{Again}", job.Number, again);
        await Task.Delay(TimeSpan.FromSeconds(job.Seconds), cancellationToken); // instead of this: your work
        results.Put(job.Number, job.Text.ToUpperInvariant());
        log.LogInformation("{Number} is done", job.Number);
    } // only now the queue forgets the job. If this throws, it is tried again, up to MaxAttempts times
}
