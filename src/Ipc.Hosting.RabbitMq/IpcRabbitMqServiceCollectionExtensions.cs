using System;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting.RabbitMq;

/// <summary>Adds servers and clients of services at a broker to a host.</summary>
/// <example><code>
/// builder.Services.AddIpcRabbitMqServer("quotes", options => options.Address = "amqp://broker/trading/quotes")
///     .AddService&lt;IQuotes, Quotes&gt;(ServiceLifetime.Scoped);
/// builder.Services.AddIpcRabbitMqClient&lt;IRates&gt;("rates").Options.BindConfiguration("Rates");
/// </code></example>
public static class IpcRabbitMqServiceCollectionExtensions
{
    /// <summary>Adds a server, which serves at a broker while the host runs. Adding it again adds to it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The name of its options, and in logs; the key of its <see cref="IpcRabbitMqServer"/>. The
    /// broker does not know it: the service's name there is the last part of the address.</param>
    /// <param name="configure">Sets its options. <see cref="IpcRabbitMqOptions.Address"/> has to be set, here or from
    /// configuration.</param>
    public static IpcRabbitMqServerBuilder AddIpcRabbitMqServer(
        this IServiceCollection services, string name, Action<IpcRabbitMqServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(name);
        OptionsBuilder<IpcRabbitMqServerOptions> options = services.AddOptions<IpcRabbitMqServerOptions>(name);
        if (configure is not null)
            options.Configure(configure);
        if (!HostServices.IsKnown(services, typeof(IpcRabbitMqServer), name))
        {
            options.ValidateOnStart();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<
                IValidateOptions<IpcRabbitMqServerOptions>, IpcRabbitMqServerOptionsValidator>());
            services.AddKeyedSingleton(name, (provider, _) => new IpcRabbitMqServer(
                provider, name, provider.GetRequiredService<IOptionsMonitor<IpcRabbitMqServerOptions>>().Get(name),
                HostServices.LoggerOf(provider, "Ipc.Server")));
            services.AddSingleton<IHostedService>(
                provider => provider.GetRequiredKeyedService<IpcRabbitMqServer>(name));
        }

        return new IpcRabbitMqServerBuilder(services, name);
    }

    /// <summary>Adds a connection to a broker, for calls of one service. Adding it again adds to it.</summary>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The name of its options, and in logs; the key of its <see cref="RabbitMqClient"/>.</param>
    /// <param name="configure">Sets its options. <see cref="IpcRabbitMqOptions.Address"/> has to be set, here or from
    /// configuration.</param>
    public static IpcRabbitMqClientBuilder AddIpcRabbitMqClient(
        this IServiceCollection services, string name, Action<IpcRabbitMqClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(name);
        OptionsBuilder<IpcRabbitMqClientOptions> options = services.AddOptions<IpcRabbitMqClientOptions>(name);
        if (configure is not null)
            options.Configure(configure);
        if (!HostServices.IsKnown(services, typeof(RabbitMqClient), name))
        {
            options.ValidateOnStart();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<
                IValidateOptions<IpcRabbitMqClientOptions>, IpcRabbitMqClientOptionsValidator>());
            services.AddKeyedSingleton(name, (provider, _) => IpcRabbitMqClients.Create(
                name, provider.GetRequiredService<IOptionsMonitor<IpcRabbitMqClientOptions>>().Get(name),
                HostServices.LoggerOf(provider, "Ipc.Client")));
            services.AddSingleton<IHostedService>(provider => new IpcRabbitMqClientStart(
                provider, name, HostServices.LoggerOf(provider, "Ipc.Client")));
        }

        return new IpcRabbitMqClientBuilder(services, name);
    }

    /// <summary>Adds a connection to a broker and a contract's proxy over it, which is found by the
    /// contract.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">As for the overload without a contract.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcRabbitMqClientBuilder AddIpcRabbitMqClient<TContract>(
        this IServiceCollection services, string name, Action<IpcRabbitMqClientOptions>? configure = null)
        where TContract : class
        => AddIpcRabbitMqClient(services, name, configure).AddContract<TContract>();

    /// <summary>Adds a connection to a broker and a contract's proxy over it.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">As for the overload without a contract.</param>
    /// <param name="proxy">What makes a proxy over a caller: the generated <c>QuotesRpc.Client</c>.</param>
    /// <param name="configure">Sets its options.</param>
    public static IpcRabbitMqClientBuilder AddIpcRabbitMqClient<TContract>(
        this IServiceCollection services, string name, Func<RabbitMqCaller, TContract> proxy,
        Action<IpcRabbitMqClientOptions>? configure = null)
        where TContract : class
        => AddIpcRabbitMqClient(services, name, configure).AddContract(proxy);
}
