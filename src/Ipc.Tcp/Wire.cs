using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;

namespace Ipc.Tcp;

/// <summary>Frames over one TCP connection. One thread at a time reads; any thread sends, each frame as a whole. What
/// goes wrong with the way is an <see cref="IOException"/>, what the other end does wrong a
/// <see cref="TcpProtocolException"/>.</summary>
/// <remarks>While it waits for bytes it gives up after three times what the other end has promised. While nobody reads,
/// because a ring is full, nobody counts: the other end is not silent then, it is not heard.</remarks>
internal sealed partial class Wire : IDisposable
{
    private const int BufferSize = 64 << 10;
    private const int SentWithin = 200; // ms: what does not wait for the other end
    private const int SendBuffer = 512 << 10; // the kernel's: when it says that there is room, BufferSize fits in

    private readonly Socket _socket;
    private readonly Stream _stream;
    private readonly byte[] _input = new byte[BufferSize];
    private readonly object _sending = new();
    private readonly byte[] _output = new byte[BufferSize];
    private readonly TcpOptions _options;
    private Timer? _timer;
    private int _inputAt;
    private int _inputEnd;
    private int _outputLength;  // under _sending, like this:
    private int _sentAt;        // Environment.TickCount
    private bool _hasFinished;
    private string? _aborted;
    private volatile bool _isOver; // a way that was found broken, or was ended here
    private long _heardAt = Clock.Now;
    private long _othersAlive = 1000;
    private int _silence = 5000;
    private int _longest = Frame.LongestGreeting; // what the other end takes of a message; of its greeting before that

    private Wire(Socket socket, Stream stream, TcpOptions options, string remoteEnd)
    {
        _socket = socket;
        _stream = stream;
        _options = options;
        RemoteEnd = remoteEnd;
    }

    /// <summary>Who is at the other end.</summary>
    public string RemoteEnd { get; }

    /// <summary>Called by the reading thread before it waits for the next frame, or for anything of one but a record's
    /// or message's own bytes.</summary>
    public Action? BeforeWaiting { get; set; }

    /// <summary>Whether so many bytes are here. The reading thread's.</summary>
    public bool Has(int length) => _inputEnd - _inputAt >= length;

    /// <summary>A way that was found broken, or was ended here. Any thread.</summary>
    /// <remarks>Not by looking at the socket: that its other end has closed says nothing of what has come and is not
    /// read yet, here or by the system.</remarks>
    public bool IsOver => _isOver;

    /// <summary>Whether this end has said its last words.</summary>
    public bool HasFinished => Volatile.Read(ref _hasFinished);

    /// <summary>Whether something came not much longer ago than the other end has promised.</summary>
    public bool WasHeardLately => Clock.Now - Volatile.Read(ref _heardAt) <= _othersAlive + _othersAlive / 2;

    /// <summary>Whether as much as the buffer holds can be sent without waiting for the other end.</summary>
    public bool CanSend
    {
        get
        {
            try
            {
                return _socket.Poll(0, SelectMode.SelectWrite);
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return true; // it fails at once
            }
        }
    }

    /// <summary>What fits into the buffer.</summary>
    public const int Short = BufferSize - 64;

    /// <summary>The way to an entrance, with TLS if the options say so. Nothing is said yet; the greeting has to end in
    /// time, too.</summary>
    /// <exception cref="IOException">There is no way.</exception>
    public static Wire Connect(in TcpAddress address, TcpOptions options)
    {
        long end = Clock.Now + (long)options.ConnectTimeout.TotalMilliseconds;
        Socket? socket = null;
        try
        {
            socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            using (Timer limit = Limit(socket, end))
                socket.Connect(address.Host, address.Port);
            return Over(socket, options, isServer: false, address.Host, end);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            socket?.Dispose();
            if (e is IOException)
                throw;
            throw new IOException( // of several kinds: no descriptors, no such host, no such family of addresses
                Clock.Now >= end
                    ? $"{address.Host}:{address.Port} did not answer within " +
                      $"{options.ConnectTimeout.TotalSeconds:0.#} s."
                    : $"{address.Host}:{address.Port}: {e.Message}",
                e);
        }
    }

    /// <summary>The way to an exit that has connected.</summary>
    public static Wire Accept(Socket socket, TcpOptions options)
    {
        try
        {
            long end = Clock.Now + (long)options.ConnectTimeout.TotalMilliseconds;
            return Over(socket, options, isServer: true, "", end);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private static Timer Limit(Socket socket, long end) =>
        new(static it => ((Socket)it!).Dispose(), socket, Math.Max(1, end - Clock.Now), Timeout.Infinite);

    private static Wire Over(Socket socket, TcpOptions options, bool isServer, string host, long end)
    {
        NetworkStream plain;
        string remoteEnd;
        try
        {
            socket.NoDelay = true;
            socket.SendBufferSize = SendBuffer;
            plain = new NetworkStream(socket, ownsSocket: true);
            remoteEnd = socket.RemoteEndPoint?.ToString() ?? "?";
        }
        catch (Exception e) when (e is SocketException or IOException or ObjectDisposedException)
        {
            throw new IOException("The other end has gone at once: " + e.Message, e);
        }

        Stream stream = plain;
        if (options.Tls is { } tls)
        {
            using Timer limit = Limit(socket, end);
            try
            {
                stream = isServer ? tls.AsServer(plain) : tls.AsClient(plain, host);
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                throw new IOException("TLS: " + e.Message, e); // of several kinds, by system
            }
        }

        Wire wire = new(socket, stream, options, remoteEnd);
        wire._timer = new Timer(
            static it => ((Wire)it!).Abort("the greeting did not end in time"), wire, Math.Max(1, end - Clock.Now),
            Timeout.Infinite);
        return wire;
    }

    /// <summary>The greeting has ended: from now on silence is noticed, and none is left behind here.</summary>
    public void Begin(uint othersAlive, uint othersLongest)
    {
        _longest = (int)Math.Min(othersLongest, Frame.LongestEver);
        _othersAlive = othersAlive;
        _timer?.Dispose();
        try
        {
            _socket.ReceiveTimeout = _silence = (int)(3 * othersAlive);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            throw Lost(e);
        }

        int alive = _options.AliveMilliseconds;
        _timer = new Timer(static it => ((Wire)it!).SayAlive(), this, alive, Math.Max(5, alive / 4));
    }

    /// <summary>The next frame that is no sign of life; its bytes are to be read next. False: the other end has ended
    /// its half.</summary>
    /// <exception cref="WireIsIdleException">Signs of life were all that came and went: it was ended here.</exception>
    public bool TryRead(out Frame frame)
    {
        Volatile.Write(ref _usedAt, Clock.Now); // the frame before this one is done with
        for (; ; )
        {
            frame = default;
            if (!Fill(Frame.HeaderSize, mayEnd: true))
                return false;
            ReadOnlySpan<byte> header = _input.AsSpan(_inputAt, Frame.HeaderSize);
            uint length = BinaryPrimitives.ReadUInt32LittleEndian(header);
            frame = new Frame(
                (FrameKind)BinaryPrimitives.ReadUInt16LittleEndian(header.Slice(4)),
                BinaryPrimitives.ReadUInt16LittleEndian(header.Slice(6)),
                (int)Math.Min(length, int.MaxValue));
            _inputAt += Frame.HeaderSize;
            long most = frame.Kind switch
            {
                FrameKind.Record => _options.MaxMessage,
                FrameKind.Message => (long)_options.MaxMessage + Frame.SequenceSize,
                FrameKind.Hello or FrameKind.Welcome or FrameKind.LoggedIn => Frame.LongestGreeting,
                FrameKind.Refused => Frame.LongestText,
                FrameKind.Close => sizeof(ulong) + Frame.LongestText,
                FrameKind.Acknowledge => Frame.SequenceSize,
                FrameKind.Alive => 0,
                _ => throw new TcpProtocolException($"The other end sent a frame of kind {(int)frame.Kind}."),
            };
            long least = frame.Kind is FrameKind.Message or FrameKind.Acknowledge or FrameKind.Close
                ? Frame.SequenceSize
                : 0;
            if (length > most || length < least)
                throw new TcpProtocolException(
                    $"The other end sent a frame {frame.Kind} of {length} bytes; {least} to {most} are possible here.");
            _hasMessage |= frame.Kind == FrameKind.Message;
            if (frame.Kind != FrameKind.Alive)
                return true;
            EndIfIdle();
        }
    }

    /// <summary>The next bytes of the frame.</summary>
    public void Read(Span<byte> to)
    {
        while (to.Length > 0)
        {
            if (_inputAt == _inputEnd)
                Fill(1, mayEnd: false);
            int some = Math.Min(to.Length, _inputEnd - _inputAt);
            _input.AsSpan(_inputAt, some).CopyTo(to);
            _inputAt += some;
            to = to.Slice(some);
        }
    }

    public void Skip(int length)
    {
        while (length > 0)
        {
            if (_inputAt == _inputEnd)
                Fill(1, mayEnd: false);
            int some = Math.Min(length, _inputEnd - _inputAt);
            _inputAt += some;
            length -= some;
        }
    }

    public long ReadSequence()
    {
        if (!Has(Frame.SequenceSize))
            BeforeWaiting?.Invoke(); // the network may stop in the middle of a header, too
        Fill(Frame.SequenceSize, mayEnd: false);
        long sequence = BinaryPrimitives.ReadInt64LittleEndian(_input.AsSpan(_inputAt));
        _inputAt += Frame.SequenceSize;
        return sequence > 0 ? sequence : throw new TcpProtocolException($"A message's number is {(ulong)sequence}.");
    }

    /// <summary>Of a CLOSE.</summary>
    public (CloseCode Code, ulong Handled, string Text) ReadClose(in Frame frame)
    {
        if (frame.Type is 0 or > (ushort)CloseCode.Lost)
            throw new TcpProtocolException($"The other end closed with code {frame.Type}.");
        if (!Has(frame.Length))
            BeforeWaiting?.Invoke();
        Fill(sizeof(ulong), mayEnd: false);
        ulong handled = BinaryPrimitives.ReadUInt64LittleEndian(_input.AsSpan(_inputAt));
        _inputAt += sizeof(ulong);
        return ((CloseCode)frame.Type, handled, ReadText(frame.Length - sizeof(ulong)));
    }

    private string ReadText(int length)
    {
        byte[] bytes = new byte[length];
        Read(bytes);
        return Encoding.UTF8.GetString(bytes);
    }

    /// <summary>The bytes of the greeting that has to come now.</summary>
    /// <exception cref="TcpRefusedException">The entrance says no.</exception>
    public byte[] ReadGreeting(FrameKind kind)
    {
        if (!TryRead(out Frame frame))
            throw new IOException("The other end went without a word.");
        if (frame.Kind == FrameKind.Refused && kind == FrameKind.Welcome)
        {
            if ((CloseCode)frame.Type is not (CloseCode.Refused or CloseCode.Shutdown or CloseCode.Identity))
                throw new TcpProtocolException($"The entrance refused with code {frame.Type}.");
            throw new TcpRefusedException((CloseCode)frame.Type, ReadText(frame.Length));
        }

        if (frame.Kind != kind)
            throw new TcpProtocolException($"The other end sent {frame.Kind} where its {kind} has to come.");
        return ReadBytes(frame);
    }

    /// <summary>All that follows the header.</summary>
    public byte[] ReadBytes(in Frame frame)
    {
        if (!Has(frame.Length))
            BeforeWaiting?.Invoke();
        byte[] bytes = new byte[frame.Length];
        Read(bytes);
        return bytes;
    }

    /// <summary>Reads and drops what still comes, until the other end has ended its half: else the system would tell it
    /// that the way is broken, before it has read our last words.</summary>
    public void Drain()
    {
        try
        {
            _socket.ReceiveTimeout = 5000;
            Stopwatch since = Stopwatch.StartNew();
            while (since.ElapsedMilliseconds < 5000 && _stream.Read(_input, 0, _input.Length) > 0)
            {
            }
        }
        catch (Exception e) when (
            e is IOException or SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // gone, or silent: it will not read any more
        }
    }

    /// <summary>At least so many bytes are here. False: the end, where it may be.</summary>
    private bool Fill(int count, bool mayEnd)
    {
        if (_inputEnd - _inputAt >= count)
            return true;
        _input.AsSpan(_inputAt, _inputEnd - _inputAt).CopyTo(_input);
        _inputEnd -= _inputAt;
        _inputAt = 0;
        while (_inputEnd < count)
        {
            if (mayEnd)
                BeforeWaiting?.Invoke();
            int some;
            try
            {
                some = _stream.Read(_input, _inputEnd, _input.Length - _inputEnd);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
            {
                throw Lost(e);
            }

            if (some == 0 && mayEnd && _inputEnd == 0)
                return false;
            if (some == 0)
                throw new IOException(_aborted ?? "The other end went in the middle of a frame.");
            _inputEnd += some;
            Volatile.Write(ref _heardAt, Clock.Now);
        }

        return true;
    }

    private IOException Lost(Exception e)
    {
        _isOver = true;
        return new IOException(
            Volatile.Read(ref _aborted) ??
            (e.InnerException is SocketException { SocketErrorCode: SocketError.TimedOut }
                ? $"Nothing came from {RemoteEnd} for {_silence} ms."
                : e is ObjectDisposedException ? "The connection was ended." : $"{RemoteEnd}: {e.Message}"),
            e);
    }
}
