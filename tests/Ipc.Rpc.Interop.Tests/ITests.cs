using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Interop.Tests;

/// <summary>The contract of the peers: <c>tests/native/tests.proto</c> is generated from it, <c>rpc_peer</c> is built from that.</summary>
[IpcService("tests.v1")]
public interface ITests
{
    Blob Echo(Blob request);

    Task<Blob> EchoAsync(Blob request, CancellationToken cancel = default);

    Blob Fail(FailRequest request);

    Task<Blob> SleepAsync(SleepRequest request, CancellationToken cancel = default);

    IAsyncEnumerable<Blob> Count(CountRequest request, CancellationToken cancel = default);
}

[DataContract]
public sealed class Blob
{
    [DataMember(Order = 1)]
    public byte[] Data { get; set; } = [];
}

[DataContract]
public sealed class FailRequest
{
    [DataMember(Order = 1)]
    public int Status { get; set; }

    [DataMember(Order = 2)]
    public string Text { get; set; } = "";
}

[DataContract]
public sealed class SleepRequest
{
    [DataMember(Order = 1)]
    public int Ms { get; set; }
}

[DataContract]
public sealed class CountRequest
{
    [DataMember(Order = 1)]
    public int Count { get; set; }

    [DataMember(Order = 2)]
    public int Size { get; set; }
}
