namespace Ipc.Hosting;

/// <summary>What a server of a host is doing.</summary>
public enum IpcServerState
{
    /// <summary>Its host has not started, or it could not start.</summary>
    NotStarted = 0,

    /// <summary>It is taking its name, or waits for its broker.</summary>
    Starting = 1,

    /// <summary>It serves.</summary>
    Serving = 2,

    /// <summary>It takes no further clients and calls, and waits for the pending ones.</summary>
    Stopping = 3,

    /// <summary>It has stopped with its host, or before, because another server has taken its name (<see cref="Ipc.Rpc.RpcServerOptions.TakeOver"/>).</summary>
    Stopped = 4,

    /// <summary>Its shared memory was destroyed by somebody.</summary>
    Failed = 5,
}
