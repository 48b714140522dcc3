using System;
using System.Collections.Concurrent;

namespace Ipc.Peer.Drive;

/// <summary>An end of a topic of the driver: its writer or its reader, the claim that is open, and who came and went.</summary>
internal sealed class TopicPlace : IDisposable
{
    public TopicPlace(TopicWriter writer)
    {
        Writer = writer;
        writer.ParticipantChanged += (_, change) => Changes.Add(change);
    }

    public TopicPlace(TopicReader reader)
    {
        Reader = reader;
        reader.ParticipantChanged += (_, change) => Changes.Add(change);
    }

    public TopicWriter? Writer { get; }

    public TopicReader? Reader { get; }

    public Held? Claim { get; set; }

    public BlockingCollection<ParticipantChangedEventArgs> Changes { get; } = [];

    public void Dispose()
    {
        Writer?.Dispose();
        Reader?.Dispose();
    }
}
