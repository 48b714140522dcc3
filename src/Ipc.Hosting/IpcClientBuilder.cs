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

    /// <summary>Lets calls wait for the server to be there, as long as their deadline and token let them (<see cref="RpcClientOptions.WaitForReady"/>).</summary>
    public IpcClientBuilder WaitForReady()
    {
        Options.PostConfigure(static options => (options.Rpc = options.Rpc.Copy()).WaitForReady = true);
        return this;
    }

    /// <summary>Has failed calls made again (<see cref="RpcRetryPolicy"/> says which can be).</summary>
    /// <param name="attempts">How often a call is made at most, the first time included.</param>
    /// <param name="on">After which statuses; Unavailable unless given.</param>
    /// <param name="firstPause">The pause before the second attempt, which doubles with each further one and is shortened by up to a half by chance; 50 ms unless given.</param>
    /// <param name="longestPause">What the pause grows to; 2 seconds unless given.</param>
    public IpcClientBuilder Retry(int attempts = 3, RpcStatus[]? on = null, TimeSpan? firstPause = null, TimeSpan? longestPause = null)
    {
        Options.PostConfigure(options =>
            (options.Rpc = options.Rpc.Copy()).Retry = RetryPolicies.Of(attempts, on, firstPause, longestPause));
        return this;
    }

    /// <summary>Registers a contract's proxy, which is found by the contract (<see cref="RpcContracts"/>).</summary>
    /// <typeparam name="TContract">The contract, which has registered itself.</typeparam>
    public IpcClientBuilder AddContract<TContract>()
        where TContract : class
        => AddContract(static client => client.For<TContract>());

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
