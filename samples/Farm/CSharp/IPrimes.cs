using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Rpc;

namespace Farm;

/// <summary>What a worker does for the farm.</summary>
[IpcService("primes.v1")]
public interface IPrimes
{
    /// <summary>Counts the prime numbers from <paramref name="from"/> up to <paramref name="to"/>, which is not one of them. It may be done twice: nothing is changed by it.</summary>
    [IpcIdempotent]
    Task<Piece> CountAsync(long from, long to, CancellationToken cancellationToken = default);
}

[DataContract]
public sealed class Piece
{
    [DataMember(Order = 1)]
    public long Primes { get; set; }

    /// <summary>Who counted them.</summary>
    [DataMember(Order = 2)]
    public string Worker { get; set; } = "";

    /// <summary>Another worker had got the request before, and went without an answer.</summary>
    [DataMember(Order = 3)]
    public bool CameAgain { get; set; }
}
