using System.Threading;
using System.Threading.Tasks;

namespace Ipc;

/// <content>Waiting for the other end without holding a thread; see <see cref="AsyncWaitThread"/>.</content>
public abstract unsafe partial class RingEnd
{
    /// <summary>As <see cref="WaitForPeer(Deadline, CancellationToken)"/>, of a ring of which either end can come
    /// again.</summary>
    internal ValueTask<IpcStatus> WaitForPeerAsync(Deadline deadline, CancellationToken cancellationToken)
    {
        PeerWait wait = PeerWait.Rent(this);
        return new ValueTask<IpcStatus>(wait, wait.Begin(deadline, cancellationToken));
    }

    private sealed class PeerWait : OwnedWait<PeerWait, RingEnd, AsyncPeerCondition, IpcStatus>
    {
        public short Begin(Deadline deadline, CancellationToken cancellationToken)
        {
            Condition = new AsyncPeerCondition(Owner);
            return Begin(Owner.Control, Owner.Link.Change, Owner.View, deadline, cancellationToken);
        }

        private protected override IpcStatus Finish(IpcStatus status) => status;
    }

    /// <summary>The condition of a thread inside the gate, for one that is not: it enters for each look.</summary>
    private readonly struct AsyncPeerCondition : IWaitCondition
    {
        private readonly RingEnd _end;
        private readonly PeerCondition _peer;

        public AsyncPeerCondition(RingEnd end)
        {
            _end = end;
            _peer = new PeerCondition(end);
        }

        public ulong LongestSleep => ulong.MaxValue;

        public bool IsTrue()
        {
            try
            {
                return _end.Enter() && _peer.IsTrue();
            }
            finally
            {
                _end.Leave();
            }
        }

        public IpcStatus PeerStatus()
        {
            try
            {
                return _end.Enter() ? _peer.PeerStatus() : IpcStatus.Ok;
            }
            finally
            {
                _end.Leave();
            }
        }

        public bool BeforeSleep() => true;
    }
}
