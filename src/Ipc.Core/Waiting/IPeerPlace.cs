namespace Ipc;

/// <summary>Where who ends a wait was last seen. Off the hot path.</summary>
internal interface IPeerPlace
{
    /// <summary>Says on which processor this thread is, and whether the peer was last seen on the same one: then it
    /// cannot answer while this thread spins.</summary>
    bool IsPeerHere();

    /// <summary>Says on which processor this thread is.</summary>
    void NotePlace();
}
