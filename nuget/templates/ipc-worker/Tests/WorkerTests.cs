using Ipc;
using Ipc.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Xunit;

namespace IpcWorker._1;

/// <summary>A sender and a worker in one process. A queue and a folder of its own keep each test apart.</summary>
public sealed class WorkerTests : IDisposable
{
    private readonly string _queue = "test-" + Guid.NewGuid().ToString("N");
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AJobIsDone()
    {
        Job job = new(Guid.NewGuid(), "ada", Seconds: 0);
        using IHost host = Worker();
        await host.StartAsync(Cancelled);
        await host.Services.GetRequiredService<QueueSender<Job>>().SendAsync(job, Cancelled);
        await Handled(host, 1);
        Assert.Equal("ADA\n", await File.ReadAllTextAsync(FileOf(job), Cancelled));
        await host.StopAsync(Cancelled);
    }

    /// <summary>A worker had done a job, and died before the queue knew.</summary>
    [Fact]
    public async Task AJobThatComesAgainIsNotDoneTwice()
    {
        Job job = new(Guid.NewGuid(), "ada", Seconds: 0), next = new(Guid.NewGuid(), "grace", Seconds: 0);
        using IHost host = Worker();
        QueueSender<Job> jobs = host.Services.GetRequiredService<QueueSender<Job>>();
        await jobs.SendAsync(job, Cancelled);
        using (SharedQueue dying = SharedQueue.Open(_queue, cancellationToken: Cancelled))
            _ = dying.Receive(Cancelled); // and it is never released
        await File.WriteAllTextAsync(FileOf(job), "done before", Cancelled);

        await host.StartAsync(Cancelled);
        await jobs.SendAsync(next, Cancelled);
        await Handled(host, 2);
        Assert.Equal("done before", await File.ReadAllTextAsync(FileOf(job), Cancelled));
        Assert.Equal("GRACE\n", await File.ReadAllTextAsync(FileOf(next), Cancelled));
        await host.StopAsync(Cancelled);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private IHost Worker()
    {
        HostApplicationBuilder builder = global::Microsoft.Extensions.Hosting.Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton(new Results(_folder));
        builder.Services.AddQueueWorker<Job, JobHandler>(_queue, options => JobQueue.Configure(options.Queue));
        builder.Services.AddQueueSender<Job>(_queue, JobQueue.Configure);
        return builder.Build();
    }

    private async Task Handled(IHost host, long count)
    {
        var worker = host.Services.GetRequiredKeyedService<global::Ipc.Hosting.IpcWorker>(_queue);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancelled);
        limit.CancelAfter(TimeSpan.FromMinutes(1)); // a handler that fails handles nothing
        while (worker.Handled < count)
            await Task.Delay(1, limit.Token);
    }

    private string FileOf(Job job) => Path.Combine(_folder, $"{job.Number}.txt");
}
