using System;
using Ipc.Testing.Drive;

namespace Ipc.Tool.Tests;

/// <summary>Something that a peer has open, in a region with a name of its own or of another's. Closed when disposed, so that the next test finds the peer as it was.</summary>
internal sealed class Opened : IDisposable
{
    private readonly int _id;
    private bool _closed;

    /// <param name="peers">Whose directory it is in.</param>
    /// <param name="peer">Who opens it.</param>
    /// <param name="what">As the peer calls it: writer, queue, publisher.</param>
    /// <param name="options">As the peer takes them: block=64 count=16.</param>
    /// <param name="name">The region's; a new one when there is none.</param>
    public Opened(Peers peers, Driven peer, string what, string options = "", string? name = null)
    {
        Peer = peer;
        Name = name ?? peers.NewName(what);
        _id = peers.NewId();
        Peer.Must($"open-{what} {_id} {Name} {options}".TrimEnd());
    }

    public Driven Peer { get; }

    public string Name { get; }

    /// <summary>Has the peer do something with it.</summary>
    public void Must(string verb, string arguments = "") => Peer.Must($"{verb} {_id} {arguments}".TrimEnd());

    /// <summary>The same, whatever comes of it.</summary>
    public Answer Do(string verb, string arguments = "") => Peer.Do($"{verb} {_id} {arguments}".TrimEnd());

    public void Dispose()
    {
        if (_closed || Peer.HasExited)
            return;
        _closed = true;
        Must("close");
    }
}
