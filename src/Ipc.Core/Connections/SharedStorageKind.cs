namespace Ipc;

/// <summary>What a name leads to.</summary>
public enum SharedStorageKind
{
    /// <summary>Nothing that this version of the library knows.</summary>
    Unknown = 0,

    /// <summary><see cref="RingWriter"/> and <see cref="RingReader"/>.</summary>
    Ring = 1,

    /// <summary><see cref="Ipc.Listener"/>, which <see cref="Connection.Connect"/> finds.</summary>
    Listener = 2,

    /// <summary><see cref="SharedQueue"/>.</summary>
    Queue = 4,

    /// <summary><see cref="TopicWriter"/> and <see cref="TopicReader"/>.</summary>
    Topic = 5,

    /// <summary><see cref="SharedMutex"/>.</summary>
    Mutex = 7,

    /// <summary><see cref="SharedSemaphore"/>.</summary>
    Semaphore = 8,

    /// <summary><see cref="SharedEvent"/>.</summary>
    Event = 9,

    /// <summary>A named connection; its name is <c>SERVER~~CLIENT</c>.</summary>
    NamedConnection = 10,
}
