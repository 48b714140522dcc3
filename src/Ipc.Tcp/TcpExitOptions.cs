namespace Ipc.Tcp;

/// <summary>Options of a <see cref="TcpExit"/>.</summary>
public sealed class TcpExitOptions : TcpOptions
{
    /// <summary>How many clients at once, and how this machine's side waits. Null: the defaults.
    /// <see cref="ListenerOptions.Protocol"/> refuses here who speaks something else than the server there; unset, the
    /// exit takes all.</summary>
    public ListenerOptions? Listener { get; set; }

    /// <summary>The same for an exit of named connections. Its identity is the other machine's affair.</summary>
    public NamedListenerOptions? NamedListener { get; set; }
}
