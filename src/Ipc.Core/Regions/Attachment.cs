using System;

namespace Ipc;

/// <summary>The place that one object has in a region which any number may share: who else is there, its waits, and its
/// end.</summary>
/// <remarks>What a queue, the ends of a topic, and locks have in common. How an object closes (whom it waits for, what
/// it gives back, what becomes of its memory) is its own; in all of them waits end first, and the region is left last.
/// Any thread.</remarks>
internal sealed class Attachment
{
    private readonly Crowd _crowd;
    private ParticipantEvents? _events; // under the lock of Control

    public Attachment(Region region, WaitControl control)
    {
        Region = region;
        Control = control;
        Owner = (uint)region.Index + 1;
        _crowd = new Crowd(region);
    }

    public Region Region { get; }

    public WaitControl Control { get; }

    /// <summary>Our owner number: participant index + 1. Also after leaving, when the region has no index any more: a
    /// thread that is still inside a call gives back what it has taken under this number.</summary>
    public uint Owner { get; }

    /// <summary>Sees to it that the death of every other participant is noticed. Cheap while nobody comes or goes. The
    /// caller keeps the memory mapped.</summary>
    public void Attend() => _crowd.Attend();

    /// <summary>That participant holds what the caller waits for: is it still there? If not, the region is recovered
    /// soon. Any index.</summary>
    public void AskFor(uint index) => _crowd.AskFor(index);

    /// <summary>Tells <paramref name="handler"/> who attaches, leaves and dies, on behalf of <paramref name="sender"/>.
    /// Nothing when closed.</summary>
    public void Subscribe(object sender, EventHandler<ParticipantChangedEventArgs> handler)
    {
        lock (Control)
        {
            if (Control.IsClosed)
                return;
            _events ??= new ParticipantEvents(sender, Region, Control, _crowd);
            _events.Add(handler);
        }
    }

    public void Unsubscribe(EventHandler<ParticipantChangedEventArgs> handler)
    {
        lock (Control)
            _events?.Remove(handler);
    }

    /// <summary>Who is there now; nobody when closed.</summary>
    public ParticipantInfo[] GetParticipants()
    {
        if (Control.IsClosed || !Region.View.TryUse())
            return [];
        try
        {
            Attend(); // the dead are to be missed soon
            return ParticipantInfo.AllOf(Region);
        }
        finally
        {
            Region.View.Unuse();
        }
    }

    /// <summary>All waits return <see cref="IpcStatus.Stopped"/>, now and until resumed.</summary>
    public void Stop() => Control.Stop(Region.View);

    public void Resume() => Control.Resume();

    /// <summary>Leaves the region. Nobody is watched any more.</summary>
    public void Leave()
    {
        _crowd.Close();
        Region.Leave();
    }
}
