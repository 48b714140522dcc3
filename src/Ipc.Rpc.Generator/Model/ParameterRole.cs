namespace Ipc.Rpc.Generator;

/// <summary>What a parameter is for.</summary>
internal enum ParameterRole
{
    /// <summary>Sent in the request message.</summary>
    Argument,

    /// <summary>The CancellationToken.</summary>
    Cancel,

    /// <summary>protobuf-net.Grpc's CallContext, of which the token is used.</summary>
    CallContext,

    /// <summary>The caller's stream.</summary>
    Stream,

    /// <summary>Takes what the callee reports before its answer.</summary>
    Progress,
}
