using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>Finds the generated code of a contract by the contract's interface. <see cref="RpcClient.For{TContract}"/>,
/// dependency injection and generic code use it.</summary>
/// <remarks>
/// The generated code of each contract registers itself when its assembly is first used, by a module initializer.
/// Nothing is looked up by reflection, and trimming keeps what is registered. The contract must be compiled as C# 9 or
/// later for .NET 5 or later. Otherwise use the generated class (<c>QuotesRpc.Client(client)</c>); calls work the same.
/// </remarks>
public static class RpcContracts
{
    private static Func<Type, object?>[] _codecs = [];

    /// <summary>Registers a contract; called by generated code.</summary>
    /// <param name="client">Makes a proxy.</param>
    /// <param name="service">Makes a service of an implementation.</param>
    /// <param name="servicePerCall">Makes a service that gets an implementation for each call.</param>
    /// <param name="codecs">The codec of a message of the contract, by its type; <see langword="null"/> for other
    /// types.</param>
    public static void Register<TContract>(
        Func<RpcCaller, TContract> client,
        Func<TContract, RpcService> service,
        Func<Func<TContract>, RpcService> servicePerCall,
        Func<Type, object?> codecs)
        where TContract : class
    {
        Parts<TContract> parts = new(
            client ?? throw new ArgumentNullException(nameof(client)),
            service ?? throw new ArgumentNullException(nameof(service)),
            servicePerCall ?? throw new ArgumentNullException(nameof(servicePerCall)));
        Volatile.Write(ref Known<TContract>.Parts, parts); // [made]
        if (codecs is null)
            throw new ArgumentNullException(nameof(codecs));

        Func<Type, object?>[] before;
        Func<Type, object?>[] after;
        do
        {
            before = Volatile.Read(ref _codecs); // [made]
            after = [.. before, codecs];
        }
        while (Interlocked.CompareExchange(ref _codecs, after, before) != before); // [made]
    }

    /// <summary>The contract, implemented by calls through <paramref name="caller"/>.</summary>
    /// <exception cref="InvalidOperationException"><typeparamref name="TContract"/> is not registered; the text says
    /// what to do.</exception>
    public static TContract Client<TContract>(RpcCaller caller)
        where TContract : class
        => Find<TContract>("Client(client)").Client(caller ?? throw new ArgumentNullException(nameof(caller)));

    /// <summary>The service that calls <paramref name="implementation"/>.</summary>
    /// <exception cref="InvalidOperationException"><typeparamref name="TContract"/> is not registered; the text says
    /// what to do.</exception>
    public static RpcService Service<TContract>(TContract implementation)
        where TContract : class
        => Find<TContract>("Service(implementation)").Service(
            implementation ?? throw new ArgumentNullException(nameof(implementation)));

    /// <summary>The service that gets an object from <paramref name="implementation"/> for each call.</summary>
    /// <exception cref="InvalidOperationException"><typeparamref name="TContract"/> is not registered; the text says
    /// what to do.</exception>
    public static RpcService ServicePerCall<TContract>(Func<TContract> implementation)
        where TContract : class
        => Find<TContract>("ServicePerCall(implementation)").ServicePerCall(
            implementation ?? throw new ArgumentNullException(nameof(implementation)));

    /// <summary>The codec of a message of any registered contract.</summary>
    /// <exception cref="InvalidOperationException">No registered contract has the message; the text says what to
    /// do.</exception>
    public static MessageCodec<TMessage> Codec<TMessage>()
    {
        if (FindCodec<TMessage>() is { } codec)
            return codec;
        Initialize(typeof(TMessage));
        return FindCodec<TMessage>() ?? throw new InvalidOperationException(
            "No contract that has registered itself has the message " + typeof(TMessage).FullName +
            ". Pass the codec that was generated for it (QuotesRpc.Codecs.Quote); if no method of a contract leads " +
            "to it, name it by [IpcFault(typeof(...))] on a contract.");
    }

    private static MessageCodec<TMessage>? FindCodec<TMessage>()
    {
        foreach (Func<Type, object?> codecs in Volatile.Read(ref _codecs)) // [made]
        {
            if (codecs(typeof(TMessage)) is MessageCodec<TMessage> codec)
                return codec;
        }

        return null;
    }

    private static Parts<TContract> Find<TContract>(string member)
        where TContract : class
    {
        if (Volatile.Read(ref Known<TContract>.Parts) is { } known) // [made]
            return known;

        Initialize(typeof(TContract));
        Parts<TContract>? registered = Volatile.Read(ref Known<TContract>.Parts); // [made]
        return registered ?? throw new InvalidOperationException(
            typeof(TContract).FullName +
            " has not registered itself: it is not a contract, or it was compiled without C# 9 or for a framework " +
            "before .NET 5. Use the class that was generated for it (of IQuotes it is QuotesRpc." + member + ").");
    }

    /// <summary>Of an assembly of which nothing but an interface was used, no code has run yet.</summary>
    private static void Initialize(Type type) => RuntimeHelpers.RunModuleConstructor(type.Module.ModuleHandle);

    private static class Known<TContract>
        where TContract : class
    {
        public static Parts<TContract>? Parts;
    }

    private sealed class Parts<TContract>
    {
        public Parts(
            Func<RpcCaller, TContract> client,
            Func<TContract, RpcService> service,
            Func<Func<TContract>, RpcService> servicePerCall)
        {
            Client = client;
            Service = service;
            ServicePerCall = servicePerCall;
        }

        public Func<RpcCaller, TContract> Client { get; }

        public Func<TContract, RpcService> Service { get; }

        public Func<Func<TContract>, RpcService> ServicePerCall { get; }
    }
}
