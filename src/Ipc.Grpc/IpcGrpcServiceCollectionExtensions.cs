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
    /// <returns>The builder of gRPC's server, for its interceptors and the limits of its messages.</returns>
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
