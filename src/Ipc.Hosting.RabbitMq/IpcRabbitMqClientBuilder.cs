using System;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;
using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Hosting.RabbitMq;

/// <summary>What a connection of a host to a broker is used for.</summary>
public sealed class IpcRabbitMqClientBuilder : IpcBuilder<IpcRabbitMqClientOptions>
{
    internal IpcRabbitMqClientBuilder(IServiceCollection services, string name)
        : base(services, name)
    {
    }

    /// <summary>Lets calls wait for a broker and a server, as long as their deadline and token let them
    /// (<see cref="RabbitMqClientOptions.WaitForReady"/>).</summary>
    public IpcRabbitMqClientBuilder WaitForReady()
    {
        Options.PostConfigure(static options => (options.Rpc = options.Rpc.Copy()).WaitForReady = true);
        return this;
    }

    /// <summary>Has failed calls made again (<see cref="RpcRetryPolicy"/> says which can be).</summary>
    /// <param name="attempts">How often a call is made at most, the first time included.</param>
    /// <param name="on">After which statuses; Unavailable unless given.</param>
    /// <param name="firstPause">The pause before the second attempt, which doubles with each further one and is
    /// shortened by up to a half by chance; 50 ms unless given.</param>
    /// <param name="longestPause">What the pause grows to; 2 seconds unless given.</param>
    public IpcRabbitMqClientBuilder Retry(
        int attempts = 3, RpcStatus[]? on = null, TimeSpan? firstPause = null, TimeSpan? longestPause = null)
    {
        Options.PostConfigure(options =>
            (options.Rpc = options.Rpc.Copy()).Retry = RetryPolicies.Of(attempts, on, firstPause, longestPause));
        return this;
    }

    /// <summary>Registers a contract's proxy, which is found by the contract (<see cref="RpcContracts"/>).</summary>
    /// <typeparam name="TContract">The contract, which has registered itself.</typeparam>
    public IpcRabbitMqClientBuilder AddContract<TContract>()
        where TContract : class
        => AddContract(static caller => caller.For<TContract>());

    /// <summary>Registers a contract's proxy.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="proxy">What makes a proxy over a caller: the generated <c>QuotesRpc.Client</c>.</param>
    public IpcRabbitMqClientBuilder AddContract<TContract>(Func<RabbitMqCaller, TContract> proxy)
        where TContract : class
    {
        ArgumentNullException.ThrowIfNull(proxy);
        Services.AddSingleton(provider => proxy(provider.GetRequiredKeyedService<RabbitMqClient>(Name).Caller));
        return this;
    }

    /// <summary>Registers a contract's proxy under a key: for a contract that several services have.</summary>
    /// <typeparam name="TContract">The contract.</typeparam>
    /// <param name="key">What it is asked for by.</param>
    /// <param name="proxy">What makes a proxy over a caller: the generated <c>QuotesRpc.Client</c>.</param>
    public IpcRabbitMqClientBuilder AddKeyedContract<TContract>(object key, Func<RabbitMqCaller, TContract> proxy)
        where TContract : class
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(proxy);
        Services.AddKeyedSingleton(
            key, (provider, _) => proxy(provider.GetRequiredKeyedService<RabbitMqClient>(Name).Caller));
        return this;
    }
}
