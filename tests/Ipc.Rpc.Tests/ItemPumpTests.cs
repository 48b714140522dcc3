using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>How the producer of a stream waits for room in the ring.</summary>
public sealed class ItemPumpTests
{
    private static readonly RpcMethod<int, int> s_items = new(Hand.Name, "Items", RpcMethodKind.ServerStream, Hand.Number, Hand.Number);

    /// <summary>Its room may have been reported between the refusal and the wait, and nobody reports it again: who paused first would lose a millisecond each time.</summary>
    [Fact]
    public async Task WhoIsRefusedTriesOnceMoreBeforeItPauses()
    {
        var link = new FullLink(refusals: 8);
        var callee = new Callee(link, new ServiceHost("pump", new Dictionary<uint, RpcHandler>(), new HostRules()));
        RpcHandler handler = RpcHandler.ServerStream(s_items, (_, _) => One());
        ServerCall call = callee.Begin(handler, new FrameHeader(FrameKind.Request, 1), null, CallFormat.Generated);
        call.Credit = new StreamCredit(10);

        await ItemPump.Run(call, static (_, _) => One(), 0, Hand.Number);

        Assert.Equal([0, 1, 2, 4, 8, 16, 16], link.Pauses);
        Assert.Equal(FrameKind.End, link.Last);
    }

    private static async IAsyncEnumerable<int> One()
    {
        yield return 1;
        await Task.CompletedTask;
    }

    /// <summary>Has no room for the first items that it is given.</summary>
    private sealed class FullLink(int refusals) : BareLink
    {
        private int _refusals = refusals;

        public List<int> Pauses { get; } = [];

        public FrameKind Last { get; private set; }

        public override Task WhenRoom(int pause, CancellationToken cancellationToken)
        {
            Pauses.Add(pause);
            return Task.CompletedTask;
        }

        private protected override RpcFailure? SendItem<T>(in FrameHeader header, RpcMethod method, MessageCodec<T> codec, in T value, out int length)
        {
            length = --_refusals > 0 ? 0 : FrameHeader.Size;
            return null;
        }

        private protected override void SendSmall(FrameHeader header, byte[] body) => Last = header.Kind;
    }
}
