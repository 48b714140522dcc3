namespace Ipc.Rpc;

/// <summary>One end of a connection, as <see cref="RpcCensus"/> sees it. Asked by any thread; the numbers may
/// lag.</summary>
internal interface ICountedConnection
{
    /// <summary>The name that the server is found by.</summary>
    string Name { get; }

    /// <summary>Which end it is.</summary>
    bool AtServer { get; }

    /// <summary>Calls that this end has made or taken and that have not ended.</summary>
    int PendingCalls { get; }

    /// <summary>Bytes of the frames that this end has published.</summary>
    long BytesSent { get; }

    /// <summary>Bytes of the frames that this end has read.</summary>
    long BytesReceived { get; }

    /// <summary>How often what this end published found the other one asleep.</summary>
    long Wakes { get; }
}
