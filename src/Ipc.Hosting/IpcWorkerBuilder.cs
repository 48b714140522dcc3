using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Hosting;

/// <summary>A worker of a host.</summary>
/// <typeparam name="TOptions">Its options.</typeparam>
public sealed class IpcWorkerBuilder<TOptions> : IpcBuilder<TOptions>
    where TOptions : IpcWorkerOptions
{
    internal IpcWorkerBuilder(IServiceCollection services, string name)
        : base(services, name)
    {
    }
}
