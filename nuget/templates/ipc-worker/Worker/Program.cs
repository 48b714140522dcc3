using Ipc.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace IpcWorker._1;

internal static class Program
{
    private static async Task Main(string[] args)
    {
        // appsettings.json lies beside the program, wherever it is started.
        HostApplicationBuilder builder = global::Microsoft.Extensions.Hosting.Host.CreateApplicationBuilder(
            new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
        builder.Services.AddSingleton(new Results(builder.Configuration["Results"] ?? "results"));
        builder.Services.AddQueueWorker<Job, JobHandler>(JobQueue.Name, options =>
        {
            JobQueue.Configure(options.Queue);
            options.PoisonQueue = JobQueue.Poison;
        }).Options.Bind(builder.Configuration.GetSection("Jobs"));
        await builder.Build().RunAsync(); // until Ctrl+C or SIGTERM; a job in hand is finished first
    }
}
