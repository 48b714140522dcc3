using System.Collections.Generic;

namespace Ipc.Rpc.RabbitMq;

/// <summary>What came back for a request.</summary>
/// <param name="Headers">As they came.</param>
/// <param name="Body">The message.</param>
internal sealed record Answer(IDictionary<string, object?>? Headers, byte[] Body)
{
    /// <summary>The failure that it tells of; <see langword="null"/> if it is a response.</summary>
    public RpcCallException? FailureOf(RpcMethod method, string peer)
    {
        long? status = Wire.NumberOf(Headers, Wire.Status);
        return status switch
        {
            0 => null,
            > 0 and <= (long)RpcStatus.Unauthenticated => RpcCallException.OfTransport(
                (RpcStatus)status,
                Wire.TextOf(Headers, Wire.Text) ?? string.Empty,
                method,
                peer,
                Wire.TextOf(Headers, Wire.ErrorType),
                Wire.DetailsOf(Headers)),
            _ => RpcCallException.OfTransport(
                RpcStatus.DataLoss,
                "The answer of " + method.FullName + " has the status " + (status?.ToString() ?? "of none") +
                ", which is none: something that is no server of Ipc has answered.",
                method,
                peer),
        };
    }
}
