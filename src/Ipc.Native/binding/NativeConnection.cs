using System;
using System.Text;
using System.Threading;

namespace Ipc.Native;

/// <summary>A pair of rings between a client and a server. On the server's side it is lent by the <see cref="NativeListener"/>.</summary>
public sealed unsafe class NativeConnection : IDisposable
{
    private const int TextLimit = 240;

    private readonly NativeHandle _owner;
    private readonly Action<NativeConnection>? _forget;

    internal NativeConnection(IntPtr connection, Action<NativeConnection>? forget)
    {
        Pointer = connection;
        _forget = forget;
        _owner = new NativeHandle(connection, static value => NativeMethods.ipc_connection_shutdown(value, 1, null), NativeMethods.ipc_connection_close);
        Writer = new NativeRingWriter(_owner, NativeMethods.ipc_connection_writer(connection));
        Reader = new NativeRingReader(_owner, NativeMethods.ipc_connection_reader(connection));
    }

    /// <summary>To the other side.</summary>
    public NativeRingWriter Writer { get; }

    /// <summary>From the other side.</summary>
    public NativeRingReader Reader { get; }

    /// <summary>Neither side has closed, and the peer is alive.</summary>
    public bool IsOpen
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_connection_is_open(Pointer) != 0;
        }
    }

    /// <summary>The process of the other side.</summary>
    public int PeerPid
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_connection_peer_pid(Pointer);
        }
    }

    /// <summary>The user of the other side, as the kernel says; <see langword="null"/> on Windows.</summary>
    public uint? PeerUser
    {
        get
        {
            using var use = new Use(_owner);
            uint user = NativeMethods.ipc_connection_peer_user(Pointer);
            return user == uint.MaxValue ? null : user;
        }
    }

    /// <summary>The version of the protocol that both sides speak; 0 when this side says nothing of one.</summary>
    public int ProtocolVersion
    {
        get
        {
            using var use = new Use(_owner);
            return (int)NativeMethods.ipc_connection_protocol_version(Pointer);
        }
    }

    /// <summary>The place of the connection in the server's table: the same number on both sides.</summary>
    public int Slot
    {
        get
        {
            using var use = new Use(_owner);
            return (int)NativeMethods.ipc_connection_slot(Pointer);
        }
    }

    /// <summary>The code with which the peer closed; 0 if it has not.</summary>
    public long CloseCode
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_connection_close_code(Pointer);
        }
    }

    /// <summary>A client's: from where on in the ring to the server that one has handled nothing, and will not; null if it has not
    /// closed, has died, or did not say.</summary>
    public long? HandledTo
    {
        get
        {
            using var use = new Use(_owner);
            ulong handled = NativeMethods.ipc_connection_handled(Pointer);
            return handled <= long.MaxValue ? (long)handled : null;
        }
    }

    /// <summary>The text with which the server closed; empty if there is none.</summary>
    public string CloseText
    {
        get
        {
            using var use = new Use(_owner);
            byte* text = stackalloc byte[TextLimit + 1];
            uint length = NativeMethods.ipc_connection_close_text(Pointer, text, TextLimit + 1);
            return Encoding.UTF8.GetString(text, (int)Math.Min(length, TextLimit));
        }
    }

    internal IntPtr Pointer { get; }

    internal bool HasSpanOut => _owner.HasSpanOut;

    /// <summary>A server's: somebody handles an event of it; otherwise it is the listener's.</summary>
    internal bool IsLent { get; set; }

    /// <summary>Connects to the listener of that name.</summary>
    /// <exception cref="NativeException">Nobody listens (<see cref="NativeStatus.NotFound"/>), no answer in time
    /// (<see cref="NativeStatus.Timeout"/>), refused (<see cref="NativeStatus.Refused"/>, with the server's words).</exception>
    public static NativeConnection Connect(string name, NativeConnectOptions? options = null, CancellationToken cancellationToken = default)
    {
        NativeLoader.Ensure();
        options ??= new NativeConnectOptions();
        using var scope = new CancelScope(cancellationToken);
        ConnectOptionsData data = options.Data;
        AccessData access = NativeAccess.DataOf(options.Access);
        data.Access = &access;
        data.Cancel = scope.Value;
        IntPtr connection;
        fixed (byte* text = Utf8.Terminated(name), hello = options.Hello.Span)
        {
            data.Hello = hello;
            NativeError.Demand(NativeMethods.ipc_connect(text, &data, &connection));
        }

        return new NativeConnection(connection, null);
    }

    /// <summary>A server's: what the client said of itself when it connected.</summary>
    public byte[] Hello()
    {
        using var use = new Use(_owner);
        uint length = 0;
        void* bytes = NativeMethods.ipc_connection_hello(Pointer, &length);
        return new ReadOnlySpan<byte>(bytes, (int)length).ToArray();
    }

    /// <summary>A server's answer to <see cref="NativeEventKind.Connect"/>, once: the client's connect returns.</summary>
    public void Accept()
    {
        using var use = new Use(_owner);
        NativeError.Demand(NativeMethods.ipc_connection_accept(Pointer));
    }

    /// <summary>A server's other answer to <see cref="NativeEventKind.Connect"/>, once; this object is disposed of by it.</summary>
    public void Refuse(string reason)
    {
        fixed (byte* text = Utf8.Terminated(reason))
        {
            using var use = new Use(_owner);
            _forget?.Invoke(this);
            Disown();
            NativeError.Demand(NativeMethods.ipc_connection_refuse(Pointer, text));
        }
    }

    /// <summary>A call from elsewhere, with <see cref="Pointer"/>.</summary>
    internal Use Enter() => new(_owner);

    /// <summary>The library frees it: nothing is left to close, and nobody may come in.</summary>
    internal void Disown() => _owner.SetHandleAsInvalid();

    /// <summary>Closes with a code and, on a server's side, a text that the other side can read. Only the first close counts. Any thread.</summary>
    public void Shutdown(int code, string text)
    {
        fixed (byte* words = Utf8.Terminated(text))
        {
            using var use = new Use(_owner);
            NativeMethods.ipc_connection_shutdown(Pointer, checked((uint)code), words);
        }
    }

    /// <summary>The same, and a server says how far it has come: of the records that begin at or behind <paramref name="handledTo"/> it
    /// has handled none, and will handle none.</summary>
    public void Shutdown(int code, string text, long handledTo)
    {
        fixed (byte* words = Utf8.Terminated(text))
        {
            using var use = new Use(_owner);
            NativeMethods.ipc_connection_shutdown_at(Pointer, checked((uint)code), words, checked((ulong)handledTo));
        }
    }

    /// <summary>Closes this side; waits of other threads in it return <see cref="NativeStatus.Closed"/>. The peer reads what was published first.</summary>
    public void Dispose()
    {
        _forget?.Invoke(this);
        _owner.Leave();
    }
}
