namespace Ipc.Native;

/// <summary>What a listener has for its caller.</summary>
public enum NativeEventKind
{
    /// <summary>A client wants to connect: answer with <see cref="NativeConnection.Accept"/> or <see cref="NativeConnection.Refuse"/>.</summary>
    Connect = 1,

    /// <summary>Records may be waiting: read until there are none, then <see cref="NativeListener.Return"/>.</summary>
    Readable = 2,

    /// <summary>The client is gone and everything was read: dispose of the connection.</summary>
    Closed = 3,

    /// <summary>Another server has the name now (<see cref="NativeListenerOptions.TakeOver"/>). There is no connection with it.</summary>
    Followed = 4,
}
