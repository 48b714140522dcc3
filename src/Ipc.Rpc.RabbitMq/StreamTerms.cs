using System;
using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>In which directions a call has a stream, how much may come first, and how long it lives without a word from
/// its client.</summary>
/// <param name="Items">Items that the server may send before more credit comes; 0 if it answers with no
/// stream.</param>
/// <param name="Bytes">The same in bytes.</param>
/// <param name="Lease">After such a silence of the client the server ends the stream.</param>
/// <param name="Sends">Whether the client sends a stream.</param>
internal sealed record StreamTerms(long Items, long Bytes, TimeSpan Lease, bool Sends = false)
{
    /// <summary>What an item counts for beside its bytes: the broker and both ends have that much to do with
    /// it.</summary>
    public const int OfItem = 64;

    /// <summary>Bytes of a stream that may be under way, or wait for its consumer.</summary>
    public const long WindowBytes = 1 << 20;

    /// <summary>More credit than this is not credit.</summary>
    public const long MaxCredit = 1L << 31;

    public const int MostItems = ushort.MaxValue;

    public static readonly TimeSpan ShortestLease = TimeSpan.FromSeconds(1), LongestLease = TimeSpan.FromHours(1);

    private static readonly TimeSpan _usualLease = TimeSpan.FromSeconds(15);

    /// <summary>Whether the server answers with a stream.</summary>
    public bool IsAnswered => Items > 0;

    public RpcMethodKind Kind =>
        Sends ? IsAnswered ? RpcMethodKind.Duplex : RpcMethodKind.ClientStream : RpcMethodKind.ServerStream;

    public static long CostOf(int length) => length + OfItem;

    /// <summary>What a request says. It is of a peer.</summary>
    /// <param name="headers">Its headers.</param>
    /// <param name="wrong">Why it says nothing that could be; <see langword="null"/> if it does.</param>
    /// <returns><see langword="null"/> if it asks for no stream, and announces none.</returns>
    public static StreamTerms? Of(IDictionary<string, object?>? headers, out string? wrong)
    {
        wrong = null;
        bool isAnswered = headers?.ContainsKey(Wire.Credit) == true;
        bool sends = headers?.ContainsKey(Wire.Sends) == true;
        if (headers is null || !(isAnswered || sends))
            return null;
        long items = Wire.NumberOf(headers, Wire.Credit) ?? 0;
        long bytes = headers.ContainsKey(Wire.CreditBytes)
            ? Wire.NumberOf(headers, Wire.CreditBytes) ?? 0
            : WindowBytes;
        long lease = headers.ContainsKey(Wire.Lease)
            ? Wire.NumberOf(headers, Wire.Lease) ?? 0
            : (long)_usualLease.TotalMilliseconds;
        if (sends && Wire.NumberOf(headers, Wire.Sends) != 1)
            wrong = "its header " + Wire.Sends + " is not 1";
        else if (isAnswered && items is (< 1 or > MostItems))
            wrong = "its header " + Wire.Credit + " is not 1 to " + MostItems;
        else if (bytes is < 1 or > MaxCredit)
            wrong = "its header " + Wire.CreditBytes + " is not 1 to " + MaxCredit;
        else if (lease < ShortestLease.TotalMilliseconds || lease > LongestLease.TotalMilliseconds)
            wrong = "its header " + Wire.Lease + " is not 1000 to 3600000 milliseconds";
        return wrong is null
            ? new StreamTerms(items, bytes, TimeSpan.FromMilliseconds(lease), sends)
            : new StreamTerms(1, 1, ShortestLease);
    }

    public void AddTo(IDictionary<string, object?> headers)
    {
        if (IsAnswered)
        {
            headers[Wire.Credit] = Items;
            headers[Wire.CreditBytes] = Bytes;
        }

        if (Sends)
            headers[Wire.Sends] = 1;
        headers[Wire.Lease] = (long)Lease.TotalMilliseconds;
    }
}
