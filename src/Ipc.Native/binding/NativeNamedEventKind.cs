namespace Ipc.Native;

/// <summary>What a listener of named connections has for its caller.</summary>
public enum NativeNamedEventKind
{
    /// <summary>A client has come, or come back: answer with <see cref="NativeNamedConnection.Accept"/> or
    /// <see cref="NativeNamedConnection.Refuse"/>.</summary>
    Login = 1,

    /// <summary>Messages may be waiting: receive until there are none, then <see cref="NativeNamedListener.Return"/>.
    /// </summary>
    Readable = 2,

    /// <summary>The client has gone, and everything was received. Its connection stays: it may be sent to, and
    /// disposed of; it is not lent.</summary>
    Logout = 3,
}
