namespace Ipc.Rpc;

/// <summary>What is to be done with a connection that was read from.</summary>
internal enum DrainResult
{
    /// <summary>There was nothing to read.</summary>
    Empty,

    /// <summary>Something was read; there may be more.</summary>
    Drained,

    /// <summary>It was closed, or nobody has it until its client makes room: to be forgotten.</summary>
    Gone,

    /// <summary>A handler took long; another thread leads now and has all connections.</summary>
    Stolen,
}
