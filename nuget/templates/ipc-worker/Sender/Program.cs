using System.Globalization;
using Ipc.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace IpcWorker._1;

internal static class Program
{
    private static async Task<int> Main(string[] args)
    {
        double seconds = 0;
        if (args.Length is 0 or > 2 || (args.Length == 2 && !double.TryParse(args[1], CultureInfo.InvariantCulture, out seconds)))
        {
            Console.Error.WriteLine("usage: dotnet run --project Sender -- TEXT [SECONDS]");
            return 2;
        }

        // In a host, a QueueSender<Job> is a constructor parameter like any other. One is enough for a whole program.
        ServiceCollection services = new();
        services.AddQueueSender<Job>(JobQueue.Name, JobQueue.Configure);
        await using ServiceProvider provider = services.BuildServiceProvider();
        QueueSender<Job> jobs = provider.GetRequiredService<QueueSender<Job>>();

        Job job = new(Guid.NewGuid(), args[0], seconds);
        await jobs.SendAsync(job); // waits only if the queue is full
        Console.WriteLine($"{job.Number} waits for a worker");
        return 0;
    }
}
