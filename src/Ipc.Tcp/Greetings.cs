using System;

namespace Ipc.Tcp;

/// <summary>What an exit says first.</summary>
internal sealed class Hello
{
    public const uint MagicValue = 0x54435049; // "IPCT"
    public const int Version = 1;
    public const uint CarriesConnection = 1, CarriesNamed = 2;

    public int Oldest { get; set; } = Version;
    public int Newest { get; set; } = Version;
    public uint Carries { get; set; }
    public uint Alive { get; set; }
    public uint Longest { get; set; }
    public string Server { get; set; } = "";
    public byte[] Token { get; set; } = Array.Empty<byte>();
    public byte[] ClientHello { get; set; } = Array.Empty<byte>();
    public NamedState? Named { get; set; }

    public void Send(Wire wire)
    {
        FieldWriter fields = new(new byte[Frame.LongestGreeting]);
        fields.U32(MagicValue);
        fields.U16(Oldest);
        fields.U16(Newest);
        fields.U32(Carries);
        fields.U32(Alive);
        fields.U32(Longest);
        fields.Text(Server);
        fields.Bytes(Token);
        fields.Bytes(ClientHello);
        if (Named is { } named)
        {
            fields.Text(named.Client);
            fields.Bytes(named.Login);
            fields.Id(named.Conversation);
            fields.Id(named.Bound);
            fields.U64(named.Acknowledged);
            fields.U64(named.Sent);
            fields.U64(named.Received);
        }

        wire.Send(FrameKind.Hello, 0, fields.Written);
    }

    public static Hello Read(Wire wire)
    {
        FieldReader fields = new(wire.ReadGreeting(FrameKind.Hello));
        uint magic = fields.U32();
        if (magic != MagicValue)
            throw new TcpProtocolException($"A greeting begins with 0x{magic:X8}, not with 0x{MagicValue:X8}.");
        Hello hello = new()
        {
            Oldest = fields.U16(),
            Newest = fields.U16(),
            Carries = fields.U32(),
            Alive = fields.U32(),
            Longest = fields.U32(),
            Server = fields.Text(),
            Token = fields.Bytes(),
            ClientHello = fields.Bytes(),
        };
        if (hello.Carries == CarriesNamed)
            hello.Named = new NamedState
            {
                Client = fields.Text(),
                Login = fields.Bytes(),
                Conversation = fields.Id(),
                Bound = fields.Id(),
                Acknowledged = fields.U64(),
                Sent = fields.U64(),
                Received = fields.U64(),
            };
        fields.End();
        Promises.Check(hello.Alive, hello.Longest);
        if (hello.Named is { } named && named.Acknowledged > named.Sent)
            throw new TcpProtocolException(
                $"Message {named.Acknowledged} was acknowledged, {named.Sent} was the last that was sent.");
        return hello;
    }
}

/// <summary>Where the exit's region of a named connection is.</summary>
internal sealed class NamedState
{
    public string Client { get; set; } = "";
    public byte[] Login { get; set; } = Array.Empty<byte>();
    public Guid Conversation { get; set; }
    public Guid Bound { get; set; }
    public long Acknowledged { get; set; }
    public long Sent { get; set; }
    public long Received { get; set; }

    /// <summary>Of the exit's region. It does not travel.</summary>
    public int MaxPayload { get; set; }
}

/// <summary>What an entrance answers.</summary>
internal sealed class Welcome
{
    public int Version { get; set; } = Hello.Version;
    public uint Alive { get; set; }
    public uint Longest { get; set; }
    public bool IsNamed { get; set; }
    public Guid Conversation { get; set; }
    public long Received { get; set; }

    public void Send(Wire wire)
    {
        FieldWriter fields = new(new byte[Frame.LongestGreeting]);
        fields.U16(Version);
        fields.U32(Alive);
        fields.U32(Longest);
        if (IsNamed)
        {
            fields.Id(Conversation);
            fields.U64(Received);
        }

        wire.Send(FrameKind.Welcome, 0, fields.Written);
    }

    public static Welcome Read(Wire wire, bool isNamed)
    {
        FieldReader fields = new(wire.ReadGreeting(FrameKind.Welcome));
        Welcome welcome = new() { Version = fields.U16(), Alive = fields.U32(), Longest = fields.U32() };
        if (isNamed)
        {
            welcome.IsNamed = true;
            welcome.Conversation = fields.Id();
            welcome.Received = fields.U64();
        }

        fields.End();
        Promises.Check(welcome.Alive, welcome.Longest);
        if (isNamed && welcome.Conversation == Guid.Empty)
            throw new TcpProtocolException("The entrance's conversation has no id.");
        if (welcome.Version != Hello.Version)
            throw new TcpProtocolException($"The entrance chose version {welcome.Version}, this exit speaks 1.");
        return welcome;
    }
}

/// <summary>The server's answer to the client's login.</summary>
internal sealed class LoggedIn
{
    public byte[] Reply { get; set; } = Array.Empty<byte>();
    public string Identity { get; set; } = "";

    public void Send(Wire wire)
    {
        FieldWriter fields = new(new byte[Frame.LongestGreeting]);
        fields.Bytes(Reply);
        fields.Text(Identity);
        wire.Send(FrameKind.LoggedIn, 0, fields.Written);
    }

    public static LoggedIn Read(Wire wire, in Frame frame)
    {
        FieldReader fields = new(wire.ReadBytes(frame));
        LoggedIn answer = new() { Reply = fields.Bytes(), Identity = fields.Text() };
        fields.End();
        if (answer.Reply.Length > Frame.LongestText)
            throw new TcpProtocolException(
                $"The entrance sent a reply of {answer.Reply.Length} bytes; {Frame.LongestText} are possible.");
        return answer;
    }
}

/// <summary>What each end says of itself in its greeting.</summary>
internal static class Promises
{
    public static void Check(uint alive, uint longest)
    {
        if (alive is < 10 or > 3_600_000)
            throw new TcpProtocolException(
                $"The other end says something every {alive} ms; 10 to 3,600,000 are possible.");
        if (longest == 0)
            throw new TcpProtocolException("The other end takes no message.");
    }
}
