using System.Runtime.Serialization;
using System.Threading.Tasks;
using ProtoBuf.Grpc.Configuration;

namespace Ipc.AspNetCore.Peer;

/// <summary>A contract of protobuf-net.Grpc.</summary>
[Service("ipc.test.Sums")]
public interface ISums
{
    ValueTask<Sum> AddAsync(Sum request);
}

[DataContract]
public sealed class Sum
{
    [DataMember(Order = 1)]
    public int Left { get; set; }

    [DataMember(Order = 2)]
    public int Right { get; set; }
}

public sealed class Sums : ISums
{
    public ValueTask<Sum> AddAsync(Sum request) => new(new Sum { Left = request.Left + request.Right });
}
