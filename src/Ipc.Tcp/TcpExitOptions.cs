namespace Ipc.Tcp;

/// <summary>Options of a <see cref="TcpExit"/>.</summary>
public sealed class TcpExitOptions : TcpOptions
{
    /// <summary>How many clients at once, and how this machine's side waits. Null: the defaults. The protocol is the
    /// clients' affair.</summary>
    public ListenerOptions? Listener { get; set; }

    /// <summary>The same for an exit of named connections. Its identity is the other machine's affair.</summary>
    public NamedListenerOptions? NamedListener { get; set; }
}
