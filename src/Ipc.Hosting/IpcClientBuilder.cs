using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Hosting;

/// <summary>What a connection of a host is used for.</summary>
public sealed class IpcClientBuilder : IpcBuilder<IpcClientOptions>
{
    internal IpcClientBuilder(IServiceCollection services, string name)
        : base(services, name)
    {
    }

    /// <summary>Registers a contract's proxy.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="proxy">What makes a proxy over a client: the generated <c>QuotesRpc.Client</c>.</param>
    public IpcClientBuilder AddContract<TContract>(Func<RpcClient, TContract> proxy)
        where TContract : class
    {
        if (proxy is null)
            throw new ArgumentNullException(nameof(proxy));
        Services.AddSingleton(provider => proxy(provider.GetRequiredKeyedService<RpcClient>(Name)));
        return this;
    }

    /// <summary>Registers a contract's proxy under a key: for a contract that several servers have.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="key">What it is asked for by.</param>
    /// <param name="proxy">What makes a proxy over a client: the generated <c>QuotesRpc.Client</c>.</param>
    public IpcClientBuilder AddKeyedContract<TContract>(object key, Func<RpcClient, TContract> proxy)
        where TContract : class
    {
        if (key is null)
            throw new ArgumentNullException(nameof(key));
        if (proxy is null)
            throw new ArgumentNullException(nameof(proxy));
        Services.AddKeyedSingleton(key, (provider, _) => proxy(provider.GetRequiredKeyedService<RpcClient>(Name)));
        return this;
    }
}
