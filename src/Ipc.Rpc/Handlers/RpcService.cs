using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>An implementation of one contract, as generated code hands it to <see cref="RpcServer.Add"/>.</summary>
public sealed class RpcService
{
    /// <summary>Joins the handlers of a contract's methods; called by generated code.</summary>
    public RpcService(string name, IReadOnlyList<RpcHandler> handlers)
    {
        Name = name ?? throw new ArgumentNullException(nameof(name));
        Handlers = handlers ?? throw new ArgumentNullException(nameof(handlers));
    }

    /// <summary>The service name on the wire.</summary>
    public string Name { get; }

    /// <summary>One for each method.</summary>
    public IReadOnlyList<RpcHandler> Handlers { get; }
}
