namespace Ipc.Native;

/// <summary>What <see cref="NativeNamedListener.Next"/> has found: <c>ipc_named_event</c>.</summary>
public sealed class NativeNamedEvent
{
    internal NativeNamedEvent(NativeNamedEventKind kind, NativeNamedConnection connection, long code, string text)
    {
        Kind = kind;
        Connection = connection;
        Code = code;
        Text = text;
    }

    /// <summary>What has happened.</summary>
    public NativeNamedEventKind Kind { get; }

    /// <summary>Of whom. A client that comes back has the object that it had, unless that was disposed of.</summary>
    public NativeNamedConnection Connection { get; }

    /// <summary>Of a logout: the code with which the client closed; 0 if it has died.</summary>
    public long Code { get; }

    /// <summary>Of a logout: words for people. Otherwise empty.</summary>
    public string Text { get; }
}
