using System;

namespace Ipc;

/// <content>What can be asked of a conversation: which it is, what has come, and what it is bound to: another one, of
/// which it is the rest of the way.</content>
internal sealed unsafe partial class NamedEnds
{
    /// <summary>Of the region: another conversation of the same names has another one. Empty when this is
    /// closed.</summary>
    public Guid Id
    {
        get
        {
            if (!Region.View.TryUse())
                return Guid.Empty;
            try
            {
                byte[] id = new byte[NamedHeader.IdSize];
                NamedHello.IdOf(Region, id);
                return new Guid(id);
            }
            finally
            {
                Region.View.Unuse();
            }
        }
    }

    /// <summary>By this side; empty: to nothing.</summary>
    public Guid Bound
    {
        get
        {
            if (!Region.View.TryUse())
                return Guid.Empty;
            try
            {
                uint isBound = Atomic.LoadAcquire( // [login]
                    ref _entrance.IsClient ? ref _header->ClientIsBound : ref _header->ServerIsBound);
                byte* id = _entrance.IsClient ? _header->ClientBound : _header->ServerBound;
                return isBound == 1
                    ? new Guid(new ReadOnlySpan<byte>(id, NamedHeader.IdSize).ToArray())
                    : Guid.Empty;
            }
            finally
            {
                Region.View.Unuse();
            }
        }
    }

    /// <summary>Once. The word that says so comes last.</summary>
    public void Bind(Guid id)
    {
        if (!Region.View.TryUse())
            return;
        try
        {
            byte* to = _entrance.IsClient ? _header->ClientBound : _header->ServerBound;
            id.ToByteArray().AsSpan().CopyTo(new Span<byte>(to, NamedHeader.IdSize));
            Atomic.StoreRelease( // [login]
                ref _entrance.IsClient ? ref _header->ClientIsBound : ref _header->ServerIsBound, 1);
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>The last message to this side, whether it was received or not.</summary>
    public ulong Arrived
    {
        get
        {
            if (!Region.View.TryUse())
                return Received;
            try
            {
                return Math.Max(Received, NamedKind.LastSequence(Region, _entrance.Read));
            }
            finally
            {
                Region.View.Unuse();
            }
        }
    }

    /// <summary>How many messages to this side are not acknowledged.</summary>
    public ulong CountUnacknowledged()
    {
        if (!Region.View.TryUse())
            return 0;
        try
        {
            ulong last = NamedKind.LastSequence(Region, _entrance.Read);
            return last > _acknowledged ? last - _acknowledged : 0;
        }
        finally
        {
            Region.View.Unuse();
        }
    }
}
