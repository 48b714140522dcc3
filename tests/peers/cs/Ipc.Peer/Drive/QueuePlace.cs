using System;
using System.Collections.Concurrent;
using System.Collections.Generic;

namespace Ipc.Peer.Drive;

/// <summary>A queue of the driver, with the claim that is open, what was received and not released, and who came and went.</summary>
internal sealed class QueuePlace : IDisposable
{
    public QueuePlace(SharedQueue queue)
    {
        Queue = queue;
        queue.ParticipantChanged += (_, change) => Changes.Add(change);
    }

    public SharedQueue Queue { get; }

    public Held? Claim { get; set; }

    public Queue<Held> Messages { get; } = new();

    public BlockingCollection<ParticipantChangedEventArgs> Changes { get; } = [];

    public void Dispose() => Queue.Dispose();
}
