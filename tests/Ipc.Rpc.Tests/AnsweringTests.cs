using System.Collections.Generic;
using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Whether a server that stops in good order sees a call whose answer is being sent while another thread already reads: nothing could send the answer later.</summary>
public sealed class AnsweringTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnAnswerThatIsBeingSentIsSeen(bool relieved)
    {
        var turn = new Turn();
        var link = new AnsweringLink();
        RpcHandler handler = RpcHandler.Unary(Hand.Ask, static number => number + 1);
        var callee = new Callee(link, new ServiceHost("answering", new Dictionary<uint, RpcHandler> { [Hand.Ask.Id] = handler }, new HostRules { MaxPendingCalls = 1 }));
        link.Sending = () =>
        {
            if (relieved)
                turn.Relieve();
            link.WasSeen = callee.HasCalls;
        };
        for (ulong call = 1; call <= 3; call++)
        {
            link.WasSeen = false;
            Assert.Null(callee.OnFrame(turn, Hand.Request(Hand.Ask, call), Hand.Bytes(7), out bool leading));
            Assert.Equal(!relieved, leading);
            Assert.True(link.WasSeen, "a server that stops now would not wait for the answer");
            Assert.False(callee.HasCalls, "a server that stops now would wait for ever");
        }
    }

    /// <summary>Another thread takes over while the handler's answer is being sent, as Leader.TryRelieve does.</summary>
    private sealed class Turn : HandlerTurn
    {
        private ServerCall? _call;
        private bool _isRelieved;

        public void Relieve()
        {
            _isRelieved = true;
            _call!.Callee.Track(_call);
            _call.Callee.HandOver();
        }

        public override void EnterHandler(ServerCall call) => (_call, _isRelieved) = (call, false);

        public override bool LeaveHandler() => !_isRelieved;
    }

    private sealed class AnsweringLink : BareLink
    {
        public System.Action? Sending { get; set; }

        public bool WasSeen { get; set; }

        private protected override RpcFailure? SendMessage<T>(in FrameHeader header, byte[]? head, RpcMethod method, MessageCodec<T> codec, in T value)
        {
            Sending!();
            return null;
        }
    }
}
