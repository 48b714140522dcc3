using System;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ipc.Hosting;

/// <summary>What is asked of a host's services while things are added to it. Ipc.Hosting.RabbitMq compiles it, too.</summary>
internal static class HostServices
{
    /// <summary>Whether something of that type was added under that name.</summary>
    public static bool IsKnown(IServiceCollection services, Type type, string key)
    {
        foreach (ServiceDescriptor known in services)
        {
            if (known.IsKeyedService && known.ServiceType == type && key.Equals(known.ServiceKey))
                return true;
        }

        return false;
    }

    public static ILogger LoggerOf(IServiceProvider provider, string category)
        => provider.GetService<ILoggerFactory>()?.CreateLogger(category) ?? NullLogger.Instance;
}
