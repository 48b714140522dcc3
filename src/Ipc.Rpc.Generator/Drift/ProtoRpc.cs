namespace Ipc.Rpc.Generator;

/// <summary>A method. What protobuf's language cannot say comes from its <c>// ipc:</c> comment.</summary>
internal sealed class ProtoRpc
{
    public const string Empty = "google.protobuf.Empty";

    /// <summary>The message of the parameters.</summary>
    public string Request { get; set; } = Empty;

    /// <summary>One item of the caller's stream; empty when it has none.</summary>
    public string Input { get; set; } = "";

    public string Output { get; set; } = "";

    public bool IsOutputStream { get; set; }

    /// <summary>One report of progress; empty when there are none.</summary>
    public string Progress { get; set; } = "";

    public bool IsOneWay { get; set; }

    public string Kind => (Input.Length > 0, IsOutputStream, IsOneWay) switch
    {
        (_, _, true) => "one-way",
        (false, false, _) => "unary",
        (false, true, _) => "server stream",
        (true, false, _) => "client stream",
        _ => "duplex",
    };
}
