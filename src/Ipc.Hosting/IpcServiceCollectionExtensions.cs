using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Adds servers and clients to a host.</summary>
/// <example><code>
/// builder.Services.AddIpcServer("quotes").AddService&lt;IQuotes, Quotes&gt;(ServiceLifetime.Scoped);
/// builder.Services.AddIpcClient&lt;IQuotes&gt;("quotes");
/// </code></example>
public static class IpcServiceCollectionExtensions
{
    /// <summary>Adds a server, which serves while the host runs. Adding it again adds to it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The name that clients find it by, unless <see cref="IpcServerOptions.Name"/> is another; the name of its options; the key of its
    /// <see cref="IpcServer"/>.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcServerBuilder AddIpcServer(this IServiceCollection services, string name, Action<IpcServerOptions>? configure = null)
    {
        Check(services, name);
        OptionsBuilder<IpcServerOptions> options = services.AddOptions<IpcServerOptions>(name);
        if (configure is not null)
            options.Configure(configure);
        if (!HostServices.IsKnown(services, typeof(IpcServer), name))
        {
            options.PostConfigure(set => set.Name = set.Name.Length == 0 ? name : set.Name).ValidateOnStart();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<IpcServerOptions>, IpcServerOptionsValidator>());
            services.AddKeyedSingleton(name, (provider, _) => new IpcServer(
                provider, name, provider.GetRequiredService<IOptionsMonitor<IpcServerOptions>>().Get(name), HostServices.LoggerOf(provider, "Ipc.Server")));
            services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<IpcServer>(name));
        }

        return new IpcServerBuilder(services, name);
    }

    /// <summary>Adds a connection to a server. Adding it again adds to it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The server's name, unless <see cref="IpcClientOptions.Name"/> is another; the name of its options; the key of its
    /// <see cref="RpcClient"/>.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcClientBuilder AddIpcClient(this IServiceCollection services, string name, Action<IpcClientOptions>? configure = null)
    {
        Check(services, name);
        OptionsBuilder<IpcClientOptions> options = services.AddOptions<IpcClientOptions>(name);
        if (configure is not null)
            options.Configure(configure);
        if (!HostServices.IsKnown(services, typeof(RpcClient), name))
        {
            options.PostConfigure(set => set.Name = set.Name.Length == 0 ? name : set.Name).ValidateOnStart();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<IpcClientOptions>, IpcClientOptionsValidator>());
            services.AddKeyedSingleton(name, (provider, _) => IpcClients.Create(
                provider.GetRequiredService<IOptionsMonitor<IpcClientOptions>>().Get(name), HostServices.LoggerOf(provider, "Ipc.Client")));
            services.AddSingleton<IHostedService>(provider => new IpcClientStart(provider, name, HostServices.LoggerOf(provider, "Ipc.Client")));
        }

        return new IpcClientBuilder(services, name);
    }

    /// <summary>Adds a connection to a server and a contract's proxy over it.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The server's name, as for <see cref="AddIpcClient(IServiceCollection, string, Action{IpcClientOptions}?)"/>.</param>
    /// <param name="proxy">What makes a proxy over a client: the generated <c>QuotesRpc.Client</c>.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcClientBuilder AddIpcClient<TContract>(
        this IServiceCollection services, string name, Func<RpcClient, TContract> proxy, Action<IpcClientOptions>? configure = null)
        where TContract : class
        => AddIpcClient(services, name, configure).AddContract(proxy);

    /// <summary>Adds a connection to a server and a contract's proxy over it, which is found by the contract.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The server's name, as for <see cref="AddIpcClient(IServiceCollection, string, Action{IpcClientOptions}?)"/>.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcClientBuilder AddIpcClient<TContract>(this IServiceCollection services, string name, Action<IpcClientOptions>? configure = null)
        where TContract : class
        => AddIpcClient(services, name, configure).AddContract<TContract>();

    internal static void Check(IServiceCollection services, string name)
    {
        if (services is null)
            throw new ArgumentNullException(nameof(services));
        if (name is null)
            throw new ArgumentNullException(nameof(name));
    }
}
