using Ipc.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace IpcService._1;

internal static class Program
{
    private static async Task Main(string[] args)
    {
        // appsettings.json lies beside the program, wherever it is started.
        HostApplicationBuilder builder = global::Microsoft.Extensions.Hosting.Host.CreateApplicationBuilder(
            new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
        builder.Services.AddIpcServer(GreeterAddress.Name)
            .AddService<IGreeter, Greeter>()
            .Options.Bind(builder.Configuration.GetSection("Greeter"));
        await builder.Build().RunAsync(); // until Ctrl+C or SIGTERM
    }
}
