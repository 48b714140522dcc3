using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;

namespace Ipc.Rpc;

/// <summary>What all connections of a server, or the callbacks of a client, have in common: handlers and
/// rules.</summary>
internal sealed class ServiceHost
{
    private const int LongestDescription = 1000;
    private const int VersionsGuessed = 20;

    private readonly Dictionary<uint, RpcHandler> _handlers;
    private readonly RpcServerInterceptor[] _interceptors;
    private readonly string _side; // who it is, for texts
    // names of methods in other versions of their services, by id
    private Dictionary<uint, (string Asked, string Service)>? _versions;
    private Dictionary<uint, RpcHandler>? _once; // for requests that are executed once
    private RpcHandler? _list; // made when somebody asks
    private long _failedOneWay; // [count]
    private bool _draining; // [flag]

    public ServiceHost(string name, Dictionary<uint, RpcHandler> handlers, HostRules rules, string side = "server")
    {
        Name = name;
        _side = side;
        _handlers = handlers;
        Rules = rules;
        Threads = new HandlerThreads(name, rules.MaxThreads);
        MostStuck = rules.MaxThreads / 2;
        Limit = rules.MaxConcurrentCalls == 0 ? null : new Turnstile(rules.MaxConcurrentCalls);
        _interceptors = rules.Interceptors.ToArray();
        Formats = new FormatTable(rules.Serializers);
        if (rules.Once is null)
            return;
        foreach (RpcHandler handler in handlers.Values)
        {
            if (!handler.Method.IsOnce)
                continue;
            Once ??= new OnceMemory(rules.Once);
            AddOnce(handler);
        }
    }

    /// <summary>What the server, or the one that the client is of, is found by.</summary>
    public string Name { get; }

    public HostRules Rules { get; }

    /// <summary>Those that requests may be written in.</summary>
    public FormatTable Formats { get; }

    public HandlerThreads Threads { get; }

    /// <summary>How many threads the handlers of one connection may keep: half of them, so that there are some for
    /// others.</summary>
    public int MostStuck { get; }

    /// <summary>How many calls may run at once; <see langword="null"/> for any number.</summary>
    public Turnstile? Limit { get; }

    /// <summary>What is remembered of calls that are executed once; <see langword="null"/> if there are no such
    /// methods.</summary>
    public OnceMemory? Once { get; }

    public bool HasInterceptors => _interceptors.Length != 0;

    /// <summary>Whether another server has the name; <see langword="null"/> if none can have it.</summary>
    public Func<bool>? IsFollowed { get; set; }

    /// <summary>It takes no further calls.</summary>
    public bool IsDraining => Volatile.Read(ref _draining);

    /// <summary>One-way calls that nobody was told of: unknown, undecodable, or failed.</summary>
    public long FailedOneWayCalls => Interlocked.Read(ref _failedOneWay);

    /// <summary>Adds a service's handlers to those that there are.</summary>
    /// <exception cref="ArgumentException">A method has the name, or by bad luck the id, of one that is there
    /// already.</exception>
    public static void Add(Dictionary<uint, RpcHandler> handlers, RpcService service)
    {
        foreach (RpcHandler handler in service.Handlers)
        {
            if (handlers.TryGetValue(handler.Method.Id, out RpcHandler? other))
            {
                throw new ArgumentException(
                    handler.Method.FullName + " and " + other.Method.FullName +
                        " have the same id; rename one of them.",
                    nameof(service));
            }

            handlers.Add(handler.Method.Id, handler);
        }
    }

    public void Drain()
    {
        Volatile.Write(ref _draining, true);
        OneSidedFence.Rare(); // [hand] who has a request in hand sees this, or its call is seen
    }

    /// <param name="method">What was called; <see langword="null"/> if that is not known here.</param>
    /// <param name="status">Why it failed.</param>
    /// <param name="text">The same, in words.</param>
    public void CountFailedOneWay(RpcMethod? method, RpcStatus status, string text)
    {
        Interlocked.Increment(ref _failedOneWay);
        try
        {
            RpcTelemetry.OneWayFailed(method, status, text);
        }
#pragma warning disable CA1031 // a listener's
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A listener failed when a one-way call had", method, e);
        }
    }

    /// <summary>Tells this side's owner what its code has thrown; whoever called learns the rest. Throws
    /// nothing.</summary>
    /// <remarks>Who has set <see cref="HostRules.HandlerFailed"/> is told there, everybody else in the trace, unless it
    /// is what a handler throws to be answered.</remarks>
    public void Tell(RpcMethod method, RpcPeer peer, RpcStatus status, Exception thrown, bool isOneWay)
    {
        try
        {
            bool isIntended = RpcHandlerFailure.Means(thrown);
            RpcEvents.Log.HandlerThrew(Name, method, peer, status, thrown, isIntended);
            if (Rules.HandlerFailed is { } told)
                told(new RpcHandlerFailure(method, peer, status, thrown, isOneWay));
            else if (!isIntended)
                Stray.Report("A handler failed", method, thrown);
        }
#pragma warning disable CA1031 // the hook's own failure, or a listener's
        catch (Exception e)
#pragma warning restore CA1031
        {
            Stray.Report("A handler failed", method, thrown);
            Stray.Report("And so did who was to be told of it", method, e);
        }
    }

    public RpcHandler? Find(uint method)
        => _handlers.TryGetValue(method, out RpcHandler? handler) || _once?.TryGetValue(method, out handler) == true
            ? handler
            : method == RpcReflection.List.Id ? _list ??= RpcHandler.Unary(RpcReflection.List, List) : null;

    public void Starting(RpcContext context)
    {
        foreach (RpcServerInterceptor interceptor in _interceptors)
            interceptor.Starting(context);
    }

    public void Completed(RpcContext context, RpcStatus status, Exception? exception)
    {
        for (int i = _interceptors.Length - 1; i >= 0; i--)
        {
            try
            {
                _interceptors[i].Completed(context, status, exception);
            }
#pragma warning disable CA1031 // the call is over: there is nobody left whose failure it could be
            catch (Exception e)
#pragma warning restore CA1031
            {
                Stray.Report("An interceptor failed after a call", context.Method, e);
            }
        }
    }

    /// <summary>What the caller is to be told of an exception.</summary>
    public Exception Map(RpcContext context, Exception exception)
    {
        foreach (RpcServerInterceptor interceptor in _interceptors)
        {
            try
            {
                if (interceptor.Map(context, exception) is { } mapped)
                    return mapped;
            }
#pragma warning disable CA1031 // its failure is what the caller gets to see
            catch (Exception e)
#pragma warning restore CA1031
            {
                return e;
            }
        }

        return exception;
    }

    private void AddOnce(RpcHandler handler)
    {
        uint id = handler.Method.OnceId;
        _once ??= new Dictionary<uint, RpcHandler>();
        if (_handlers.TryGetValue(id, out RpcHandler? other) || _once.TryGetValue(id, out other))
        {
            throw new ArgumentException(
                handler.Method.FullName + ", which is [IpcOnce], and " + other.Method.FullName +
                    " have the same id; rename one of them.");
        }

        _once.Add(id, new OnceEntrance(handler, Once!));
    }

    /// <summary>What there is, for who asks.</summary>
    private IReadOnlyList<RpcMethodInfo> List(RpcEmpty request)
        => _handlers.Values.Select(static handler => handler.Method).OrderBy(
            static method => method.Service, StringComparer.Ordinal).ThenBy(
            static method => method.Name, StringComparer.Ordinal).Select(
            method => new RpcMethodInfo(
                method.Service,
                method.Name,
                method.Kind,
                method.IsOneWay,
                method.IsOnce && Once is not null, // a client's own methods are not
                method.IsKnownIdempotent)).ToList();

    private string Own => PeerName.First(
        _side == "server" ? PeerName.OfServer(Name) : "the " + _side + " of " + PeerName.OfServer(Name));

    /// <summary>Tells a caller what there is instead of what it asked for.</summary>
    public string DescribeUnknown(uint method)
    {
        var services = _handlers.Values.GroupBy(static handler => handler.Method.Service).OrderBy(
            static group => group.Key, StringComparer.Ordinal).ToList();
        var text = new StringBuilder();
        if (Guess(method) is var (asked, version))
        {
            text.Append(Own).Append(" has no ").Append(asked).Append(
                "; it has another version of that service. It has ");
            int found = services.FindIndex(group => group.Key == version);
            services.Insert(0, services[found]);
            services.RemoveAt(found + 1);
        }
        else
        {
            text.Append(Own).Append(" has no such method. It has "); // only its caller knows its name
        }

        string has = string.Join("; ", services.Select(ListOf));
        if (text.Length + has.Length > LongestDescription)
            has = "methods of the services " + string.Join(", ", services.Select(static service => service.Key));
        text.Append(has.Length == 0 ? "none at all" : has);
        if (text.Length > LongestDescription)
            text.Length = LongestDescription;
        return text.Append(". Do both sides have the same contract?").ToString();
    }

    private static string ListOf(IGrouping<string, RpcHandler> service)
        => service.Key + ": " + string.Join(
            ", ",
            service.Select(static handler => handler.Method.Name).OrderBy(
                static name => name, StringComparer.Ordinal));

    /// <summary>A request carries a hash and not a name. But if it is a method that is known here, of another version
    /// of its service, that can be found out.</summary>
    private (string Asked, string Service)? Guess(uint method)
    {
        // at most twice, by racing threads
        Dictionary<uint, (string Asked, string Service)> versions = _versions ??= OtherVersions();
        return versions.TryGetValue(method, out (string Asked, string Service) found) ? found : null;
    }

    /// <summary>Once, and not for each call: who asks for what there is not may do so as fast as it can.</summary>
    private Dictionary<uint, (string Asked, string Service)> OtherVersions()
    {
        var versions = new Dictionary<uint, (string Asked, string Service)>();
        foreach (RpcHandler handler in _handlers.Values)
        {
            string service = handler.Method.Service;
            int dot = service.LastIndexOf(".v", StringComparison.Ordinal);
            string stem = dot < 0 ? service : service.Substring(0, dot);
            for (int version = 1; version <= VersionsGuessed; version++)
            {
                string name = stem + ".v" + version.ToString(CultureInfo.InvariantCulture) + "/" + handler.Method.Name;
                versions[RpcMethod.IdOf(name)] = (name, service);
            }
        }

        return versions;
    }
}
