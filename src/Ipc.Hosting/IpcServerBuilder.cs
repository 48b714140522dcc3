using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Ipc.Hosting;

/// <summary>What a server of a host serves.</summary>
public sealed class IpcServerBuilder : IpcBuilder<IpcServerOptions>
{
    internal IpcServerBuilder(IServiceCollection services, string name)
        : base(services, name)
    {
    }

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
