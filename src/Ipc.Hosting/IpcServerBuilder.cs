using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>What a server of a host serves.</summary>
public sealed class IpcServerBuilder
{
    internal IpcServerBuilder(IServiceCollection services, string name)
    {
        Services = services;
        Name = name;
    }

    /// <summary>The host's services.</summary>
    public IServiceCollection Services { get; }

    /// <summary>What the server was added as; also the key of its <see cref="IpcServer"/>.</summary>
    public string Name { get; }

    /// <summary>The server's options: to bind to configuration, to validate further.</summary>
    public OptionsBuilder<IpcServerOptions> Options => new(Services, Name);

    /// <summary>Serves a contract by the service of that type that the host has.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="service">What makes a service of an implementation: the generated <c>QuotesRpc.Service</c>.</param>
    public IpcServerBuilder AddService<TContract>(Func<TContract, RpcService> service)
        where TContract : class
    {
        if (service is null)
            throw new ArgumentNullException(nameof(service));
        return AddService(provider => service(provider.GetRequiredService<TContract>()));
    }

    /// <summary>Serves a contract by the one object of a class, which is registered if it is not yet.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <typeparam name="TImplementation">The class.</typeparam>
    /// <param name="service">What makes a service of an implementation: the generated <c>QuotesRpc.Service</c>.</param>
    public IpcServerBuilder AddService<
        TContract,
#if NET
        [System.Diagnostics.CodeAnalysis.DynamicallyAccessedMembers(System.Diagnostics.CodeAnalysis.DynamicallyAccessedMemberTypes.PublicConstructors)]
#endif
        TImplementation>(Func<TContract, RpcService> service)
        where TContract : class
        where TImplementation : class, TContract
    {
        if (service is null)
            throw new ArgumentNullException(nameof(service));
        Services.TryAddSingleton<TImplementation>();
        return AddService(provider => service(provider.GetRequiredService<TImplementation>()));
    }

    /// <summary>Serves what <paramref name="factory"/> makes when the host starts.</summary>
    public IpcServerBuilder AddService(Func<IServiceProvider, RpcService> factory)
    {
        if (factory is null)
            throw new ArgumentNullException(nameof(factory));
        Services.AddKeyedSingleton(Name, new IpcServiceFactory(factory));
        return this;
    }
}
