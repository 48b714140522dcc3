using System;

namespace Ipc.Hosting.RabbitMq;

/// <summary>Where a service is: what servers and clients of a host have in common.</summary>
public abstract class IpcRabbitMqOptions
{
    private protected IpcRabbitMqOptions()
    {
    }

    /// <summary><c>amqp://HOST:PORT/VHOST/SERVICE</c>, with commas between the <c>HOST:PORT</c> of several nodes, or
    /// <c>amqps</c> for TLS; user and password may stand before the host, as
    /// <see cref="Ipc.Rpc.RabbitMq.RabbitMqClient.ConnectAsync"/> says. Neither is shown in a log or an
    /// error.</summary>
    public string Address { get; set; } = string.Empty;

    /// <summary>The user, as it is, unless <see cref="Address"/> has one. Without any it is <c>guest</c>.</summary>
    public string? User { get; set; }

    /// <summary>The password, as it is, unless <see cref="Address"/> has one: from where a host keeps its
    /// secrets.</summary>
    public string? Password { get; set; }

    /// <summary>The address with user and password.</summary>
    internal string Full()
    {
        (int begin, int end) = UserInfo();
        string user = User is null ? Address[begin..end] : Uri.EscapeDataString(User);
        return Password is null
            ? Address
            : Address[..begin] + user + ":" + Uri.EscapeDataString(Password) + "@" + Address[Host(end)..];
    }

    /// <summary>The address without them, once it was found to be right.</summary>
    internal string Shown()
    {
        (int begin, int end) = UserInfo();
        return Address[..begin] + Address[Host(end)..];
    }

    /// <summary>What is wrong with who it is; <see langword="null"/> if nothing is.</summary>
    internal string? WrongUser()
    {
        (int begin, int end) = UserInfo();
        string known = Address[begin..end];
        if (User is not null && known.Length > 0)
            return "User is set, and Address has a user; one of them is enough.";
        if (User is not null && Password is null)
            return "User is set without Password.";
        if (Password is not null && known.Contains(':', StringComparison.Ordinal))
            return "Password is set, and Address has a password; one of them is enough.";
        return Password is not null && User is null && known.Length == 0 ? "Password is set without User." : null;
    }

    private int Host(int end) => end < Address.Length && Address[end] == '@' ? end + 1 : end;

    /// <summary>From where to where it stands in the address.</summary>
    private (int Begin, int End) UserInfo()
    {
        int begin = Address.IndexOf("://", StringComparison.Ordinal);
        begin = begin < 0 ? 0 : begin + 3;
        int end = Address.AsSpan(begin).IndexOfAny('/', '?', '#');
        int at = Address.AsSpan(begin, end < 0 ? Address.Length - begin : end).LastIndexOf('@');
        return (begin, at < 0 ? begin : begin + at);
    }
}
