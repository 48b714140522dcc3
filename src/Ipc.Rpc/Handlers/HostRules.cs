using System;
using System.Collections.Generic;

namespace Ipc.Rpc;

/// <summary>What a server's options, or a client's, say about handlers.</summary>
internal sealed class HostRules
{
    /// <summary>Which option it is that bounds the calls, for texts.</summary>
    public string PendingCallsOption { get; set; } = "";

    public int MaxPendingCalls { get; set; }

    /// <summary>Which option it is that bounds the next, for texts.</summary>
    public string HeldBytesOption { get; set; } = "";

    /// <summary>How much the requests of one connection may take that wait for their turn.</summary>
    public long MaxHeldBytes { get; set; }

    /// <summary>How many run at once; 0: any number.</summary>
    public int MaxConcurrentCalls { get; set; }

    /// <summary>For handlers that may hold up nobody else. As many as a server has unless told otherwise.</summary>
    public int MaxThreads { get; set; } = 256;

    public bool OrderedCalls { get; set; }

    public int StreamWindow { get; set; }

    public Action<RpcHandlerFailure>? HandlerFailed { get; set; }

    /// <summary>What is remembered of calls that are executed once; <see langword="null"/>: there are none
    /// here.</summary>
    public RpcOnceOptions? Once { get; set; }

    public IReadOnlyList<RpcServerInterceptor> Interceptors { get; set; } = [];

    public IReadOnlyList<IpcSerializer> Serializers { get; set; } = [];
}
