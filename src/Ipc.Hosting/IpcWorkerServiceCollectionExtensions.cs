using System;
using Ipc.Rpc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Ipc.Hosting;

/// <summary>Adds queues and topics to a host: workers that handle their messages, and what sends them.</summary>
/// <example><code>
/// builder.Services.AddQueueWorker&lt;Job, JobHandler&gt;("jobs");
/// builder.Services.AddQueueSender&lt;Job&gt;("jobs");
/// </code></example>
public static class IpcWorkerServiceCollectionExtensions
{
    /// <summary>Adds a worker that handles a queue's messages while the host runs. Several workers of one queue, in one program or many, share its messages.</summary>
    /// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
    /// <typeparam name="THandler">The handler, which is registered as scoped if it is not yet: each attempt has a scope of its own.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The queue's name, unless <see cref="IpcWorkerOptions.Name"/> is another; the name of its options; the key of its <see cref="IpcWorker"/>.</param>
    /// <param name="configure">Sets its options.</param>
    /// <param name="codec">Reads the messages; found by their type unless given (<see cref="RpcContracts.Codec{TMessage}"/>).</param>
    public static IpcWorkerBuilder<QueueWorkerOptions> AddQueueWorker<
        TMessage,
#if NET
        [System.Diagnostics.CodeAnalysis.DynamicallyAccessedMembers(System.Diagnostics.CodeAnalysis.DynamicallyAccessedMemberTypes.PublicConstructors)]
#endif
        THandler>(this IServiceCollection services, string name, Action<QueueWorkerOptions>? configure = null, MessageCodec<TMessage>? codec = null)
        where THandler : class, IQueueHandler<TMessage>
    {
        IpcServiceCollectionExtensions.Check(services, name);
        services.TryAddScoped<THandler>();
        return Add(services, name, configure, (provider, options) => new QueueWorker<TMessage, THandler>(
            name, options, codec, provider.GetRequiredService<IServiceScopeFactory>(), HostServices.LoggerOf(provider, "Ipc.Worker")));
    }

    /// <summary>Adds a worker that handles a topic's messages while the host runs. Each of several gets all of them.</summary>
    /// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
    /// <typeparam name="THandler">The handler, which is registered as scoped if it is not yet: each attempt has a scope of its own.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The topic's name, unless <see cref="IpcWorkerOptions.Name"/> is another; the name of its options; the key of its <see cref="IpcWorker"/>.</param>
    /// <param name="configure">Sets its options.</param>
    /// <param name="codec">Reads the messages; found by their type unless given (<see cref="RpcContracts.Codec{TMessage}"/>).</param>
    public static IpcWorkerBuilder<TopicConsumerOptions> AddTopicConsumer<
        TMessage,
#if NET
        [System.Diagnostics.CodeAnalysis.DynamicallyAccessedMembers(System.Diagnostics.CodeAnalysis.DynamicallyAccessedMemberTypes.PublicConstructors)]
#endif
        THandler>(this IServiceCollection services, string name, Action<TopicConsumerOptions>? configure = null, MessageCodec<TMessage>? codec = null)
        where THandler : class, ITopicHandler<TMessage>
    {
        IpcServiceCollectionExtensions.Check(services, name);
        services.TryAddScoped<THandler>();
        return Add(services, name, configure, (provider, options) => new TopicConsumer<TMessage, THandler>(
            name, options, codec, provider.GetRequiredService<IServiceScopeFactory>(), HostServices.LoggerOf(provider, "Ipc.Worker")));
    }

    /// <summary>Registers a <see cref="QueueSender{TMessage}"/>, which opens the queue when it is first asked for.</summary>
    /// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The queue's name.</param>
    /// <param name="configure">Sets how it is opened.</param>
    /// <param name="codec">Writes the messages; found by their type unless given (<see cref="RpcContracts.Codec{TMessage}"/>).</param>
    public static IServiceCollection AddQueueSender<TMessage>(
        this IServiceCollection services, string name, Action<QueueOptions>? configure = null, MessageCodec<TMessage>? codec = null)
    {
        IpcServiceCollectionExtensions.Check(services, name);
        services.TryAddKeyedSingleton(name, (_, _) =>
        {
            var options = new QueueOptions();
            configure?.Invoke(options);
            return SharedQueue.Open(name, options);
        });
        return services.AddSingleton(provider => new QueueSender<TMessage>(provider.GetRequiredKeyedService<SharedQueue>(name), codec));
    }

    /// <summary>Registers a <see cref="TopicPublisher{TMessage}"/>, which opens the topic when it is first asked for.</summary>
    /// <typeparam name="TMessage">A message of a contract, or <c>byte[]</c> for the bytes as they are.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="name">The topic's name.</param>
    /// <param name="configure">Sets how it is opened.</param>
    /// <param name="codec">Writes the messages; found by their type unless given (<see cref="RpcContracts.Codec{TMessage}"/>).</param>
    public static IServiceCollection AddTopicPublisher<TMessage>(
        this IServiceCollection services, string name, Action<TopicOptions>? configure = null, MessageCodec<TMessage>? codec = null)
    {
        IpcServiceCollectionExtensions.Check(services, name);
        services.TryAddKeyedSingleton(name, (_, _) =>
        {
            var options = new TopicOptions();
            configure?.Invoke(options);
            return TopicWriter.Open(name, options);
        });
        return services.AddSingleton(provider => new TopicPublisher<TMessage>(provider.GetRequiredKeyedService<TopicWriter>(name), codec));
    }

    private static IpcWorkerBuilder<TOptions> Add<
#if NET
        [System.Diagnostics.CodeAnalysis.DynamicallyAccessedMembers(System.Diagnostics.CodeAnalysis.DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)]
#endif
        TOptions>(
        IServiceCollection services, string name, Action<TOptions>? configure, Func<IServiceProvider, TOptions, IpcWorker> make)
        where TOptions : IpcWorkerOptions
    {
        if (HostServices.IsKnown(services, typeof(IpcWorker), name))
        {
            throw new ArgumentException(
                "There is a worker " + name + " already. Add this one by another name, and set its options' Name to that of the queue or topic.", nameof(name));
        }

        OptionsBuilder<TOptions> options = services.AddOptions<TOptions>(name);
        if (configure is not null)
            options.Configure(configure);
        options.PostConfigure(set => set.Name = set.Name.Length == 0 ? name : set.Name).ValidateOnStart();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<TOptions>, IpcWorkerOptionsValidator<TOptions>>());
        services.AddKeyedSingleton(name, (provider, _) => make(provider, provider.GetRequiredService<IOptionsMonitor<TOptions>>().Get(name)));
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<IpcWorker>(name));
        return new IpcWorkerBuilder<TOptions>(services, name);
    }
}
