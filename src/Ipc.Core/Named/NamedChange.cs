namespace Ipc;

/// <summary>What has become of a client's named connection.</summary>
public enum NamedChange
{
    /// <summary>It is logged in.</summary>
    Connected = 1,

    /// <summary>The session has ended. Messages stay where they are.</summary>
    Disconnected = 2,

    /// <summary>The server of that name is another one (<see cref="NamedListenerOptions.Identity"/>): the conversation
    /// with the former one is over, and what was not acknowledged in it is given up.</summary>
    Reset = 3,
}
