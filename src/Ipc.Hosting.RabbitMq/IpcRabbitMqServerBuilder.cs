using System;
using System.Diagnostics.CodeAnalysis;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Ipc.Hosting.RabbitMq;

/// <summary>What a server of a host serves at a broker.</summary>
public sealed class IpcRabbitMqServerBuilder : IpcBuilder<IpcRabbitMqServerOptions>
{
    internal IpcRabbitMqServerBuilder(IServiceCollection services, string name)
        : base(services, name)
    {
    }

    /// <summary>Lets the host start although no broker answers; the server serves as soon as one does
    /// (<see cref="Ipc.Rpc.RabbitMq.RabbitMqServerOptions.WaitForBroker"/>).</summary>
    public IpcRabbitMqServerBuilder WaitForBroker()
    {
        Options.PostConfigure(static options => (options.Rpc = options.Rpc.Copy()).WaitForBroker = true);
        return this;
    }

    /// <summary>Serves a contract by the service of that type that the host has.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="service">What makes a service of an implementation: the generated
    /// <c>QuotesRpc.Service</c>.</param>
    public IpcRabbitMqServerBuilder AddService<TContract>(Func<TContract, RpcService> service)
        where TContract : class
    {
        ArgumentNullException.ThrowIfNull(service);
        return AddService(provider => service(provider.GetRequiredService<TContract>()));
    }

    /// <summary>Serves a contract by the one object of a class, which is registered if it is not yet.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <typeparam name="TImplementation">The class.</typeparam>
    /// <param name="service">What makes a service of an implementation: the generated
    /// <c>QuotesRpc.Service</c>.</param>
    public IpcRabbitMqServerBuilder AddService<
        TContract,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    TImplementation>(Func<TContract, RpcService> service)
        where TContract : class
        where TImplementation : class, TContract
    {
        ArgumentNullException.ThrowIfNull(service);
        Services.TryAddSingleton<TImplementation>();
        return AddService(provider => service(provider.GetRequiredService<TImplementation>()));
    }

    /// <summary>Serves a contract by a class of the container: one object, or an object for each call.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <typeparam name="TImplementation">The class, which is registered with that lifetime if it is not
    /// yet.</typeparam>
    /// <param name="lifetime">Singleton: one object, made when the host starts. Scoped and transient: each call has a
    /// scope of its own, of which its object is taken, and which is disposed when the call is over.</param>
    public IpcRabbitMqServerBuilder AddService<
        TContract,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    TImplementation>(ServiceLifetime lifetime = ServiceLifetime.Singleton)
        where TContract : class
        where TImplementation : class, TContract
        => lifetime == ServiceLifetime.Singleton
            ? AddService<TContract, TImplementation>(RpcContracts.Service)
            : AddService<TContract, TImplementation>(RpcContracts.ServicePerCall, lifetime);

    /// <summary>The same for a contract that does not register itself.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <typeparam name="TImplementation">The class, which is registered with that lifetime if it is not
    /// yet.</typeparam>
    /// <param name="servicePerCall">What makes a service that asks for an object with each call: the generated
    /// <c>QuotesRpc.ServicePerCall</c>.</param>
    /// <param name="lifetime">Scoped or transient; a singleton is taken of the call's scope, too, and is one.</param>
    public IpcRabbitMqServerBuilder AddService<
        TContract,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)]
    TImplementation>(Func<Func<TContract>, RpcService> servicePerCall, ServiceLifetime lifetime)
        where TContract : class
        where TImplementation : class, TContract
    {
        ArgumentNullException.ThrowIfNull(servicePerCall);
        Services.TryAdd(new ServiceDescriptor(typeof(TImplementation), typeof(TImplementation), lifetime));
        string name = Name;
        Services.TryAddKeyedSingleton(name, (provider, _) => new CallScopes(
            provider.GetRequiredService<IServiceScopeFactory>(), name,
            HostServices.LoggerOf(provider, "Ipc.Server")));
        return AddService(provider =>
        {
            CallScopes scopes = provider.GetRequiredKeyedService<CallScopes>(name);
            return servicePerCall(scopes.Resolve<TImplementation>);
        });
    }

    /// <summary>Serves what <paramref name="factory"/> makes when the host starts.</summary>
    public IpcRabbitMqServerBuilder AddService(Func<IServiceProvider, RpcService> factory)
    {
        ArgumentNullException.ThrowIfNull(factory);
        Services.AddKeyedSingleton(Name, new IpcServiceFactory(factory));
        return this;
    }
}
