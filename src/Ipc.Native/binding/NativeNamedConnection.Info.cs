using System;
using System.Text;

namespace Ipc.Native;

/// <content>The other side, numbers, and what was.</content>
public sealed unsafe partial class NativeNamedConnection
{
    private readonly object _copying = new(); // the library's copies are until the next call

    /// <summary>The client's name.</summary>
    public string ClientName { get; }

    /// <summary>The server's name.</summary>
    public string ServerName { get; }

    /// <summary>Both sides are there: logged in, not closed, alive. It can change at any time.</summary>
    public bool IsConnected
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_is_connected(Pointer) != 0;
        }
    }

    /// <summary>The process of the other side, as it says; 0 while there is no session.</summary>
    public int PeerPid
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_peer_pid(Pointer);
        }
    }

    /// <summary>The longest message, in bytes.</summary>
    public long MaxPayload
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_max_payload(Pointer);
        }
    }

    /// <summary>The number of the last message that was sent in this direction, by this process or a former one of its
    /// name; 0: none was.</summary>
    public ulong Sent
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_sent(Pointer);
        }
    }

    /// <summary>The number of the last message that was received; at the start, that was acknowledged. 0: none
    /// was.</summary>
    public ulong Received
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_received(Pointer);
        }
    }

    /// <summary>The number up to which messages are acknowledged by this side; 0: none is.</summary>
    public ulong Acknowledged
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_acknowledged(Pointer);
        }
    }

    /// <summary>How many messages were sent that the other side has not acknowledged yet. It can change at any
    /// time.</summary>
    public ulong Unacknowledged
    {
        get
        {
            using var use = new Use(_owner);
            return NativeMethods.ipc_named_unacknowledged(Pointer);
        }
    }

    /// <summary>Of the server that this conversation is with: <see cref="NativeNamedListenerOptions.Identity"/>. Empty
    /// before the first login.</summary>
    public string Identity
    {
        get
        {
            using var use = new Use(_owner);
            byte* identity = stackalloc byte[NamedResetData.NameMax + 1];
            uint length = NativeMethods.ipc_named_identity(Pointer, identity, NamedResetData.NameMax + 1);
            return Encoding.UTF8.GetString(identity, (int)length);
        }
    }

    /// <summary>How the last session ended that the other side has ended; <see langword="null"/>: none has.</summary>
    public NativeNamedEnd? LastEnd
    {
        get
        {
            using var use = new Use(_owner);
            NamedEndData data = default;
            NativeStatus status = NativeError.Check(NativeMethods.ipc_named_ended(Pointer, &data));
            return status == NativeStatus.Ok ? new NativeNamedEnd(&data) : null;
        }
    }

    /// <summary>A client's: the last time that the conversation was given up; <see langword="null"/>: it never was.
    /// </summary>
    public NativeNamedReset? LastReset
    {
        get
        {
            using var use = new Use(_owner);
            NamedResetData data = default;
            NativeMethods.ipc_named_last_reset(Pointer, &data);
            return data.Count == 0 ? null : new NativeNamedReset(&data);
        }
    }

    /// <summary>What the server answered to the last login that it accepted; a copy.</summary>
    public byte[] Reply()
    {
        using var use = new Use(_owner);
        lock (_copying)
        {
            uint length = 0;
            void* bytes = NativeMethods.ipc_named_reply(Pointer, &length);
            return new ReadOnlySpan<byte>(bytes, (int)length).ToArray();
        }
    }

    /// <summary>What the client said at its last login; a copy.</summary>
    public byte[] Login()
    {
        using var use = new Use(_owner);
        lock (_copying)
        {
            uint length = 0;
            void* bytes = NativeMethods.ipc_named_login(Pointer, &length);
            return new ReadOnlySpan<byte>(bytes, (int)length).ToArray();
        }
    }
}
