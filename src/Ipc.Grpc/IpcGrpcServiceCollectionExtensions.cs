using System;
using Grpc.AspNetCore.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Ipc.Grpc;

/// <summary>Adds what <see cref="IpcGrpcEndpointRouteBuilderExtensions"/> needs.</summary>
public static class IpcGrpcServiceCollectionExtensions
{
    /// <summary>Adds gRPC's server and the gateway to Ipc. Calling it again adds to the options.</summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>What <c>AddGrpc</c> returns. The limits of messages, and interceptors, of the gateway's services are
    /// those of all services: <c>services.AddGrpc(options => ...)</c> sets them.</returns>
    public static IGrpcServerBuilder AddIpcGrpc(
        this IServiceCollection services, Action<IpcGrpcOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (configure is not null)
            services.Configure(configure);
        services.TryAddSingleton<IpcGateways>();
        return services.AddGrpc();
    }
}
