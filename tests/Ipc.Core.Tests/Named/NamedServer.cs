using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Text;

namespace Ipc.Core.Tests;

/// <summary>A server of named connections on a thread of its own, which sends each message back and remembers what happened.</summary>
public sealed class NamedServer : IDisposable
{
    private bool _ended;

    /// <param name="decide">As <see cref="Decide"/>, from the first login on: a client that waits already may be let in before a property is set.</param>
    public NamedServer(string name, NamedListenerOptions? options = null, Func<NamedConnection, string?>? decide = null)
    {
        Decide = decide ?? Decide;
        Listener = NamedListener.Open(name, options);
        Thread = new Background(Serve);
    }

    public NamedListener Listener { get; }

    /// <summary>Null: accept; else the reason.</summary>
    public Func<NamedConnection, string?> Decide { get; set; } = static _ => null;

    public string Reply { get; set; } = "";

    public bool Acknowledges { get; set; } = true;

    public bool Answers { get; set; } = true;

    public List<string> Log { get; } = [];

    public Background Thread { get; }

    public void Dispose()
    {
        if (_ended)
            return;
        _ended = true;
        Listener.Stop();
        Thread.Join();
        Listener.Dispose();
    }

    public string[] LogNow()
    {
        lock (Log)
            return [.. Log];
    }

    private void Serve()
    {
        while (Listener.Next(out NamedEvent next, Deadline.Never) == IpcStatus.Ok)
        {
            NamedConnection connection = next.Connection;
            switch (next.Kind)
            {
                case NamedEventKind.Login:
                    Note($"login {connection.ClientName} {Encoding.UTF8.GetString(connection.ReadLogin())}");
                    if (Decide(connection) is { } reason)
                        connection.Refuse(reason);
                    else
                        connection.Accept(Encoding.UTF8.GetBytes(Reply));
                    break;
                case NamedEventKind.Readable:
                    Echo(connection);
                    Listener.Return(connection);
                    break;
                default:
                    Note($"logout {connection.ClientName} {next.Reason} {next.Code}");
                    break;
            }
        }
    }

    private void Echo(NamedConnection connection)
    {
        while (connection.TryReceive(out NamedMessage message))
        {
            Note($"{connection.ClientName} {message.Sequence}{(message.Redelivered ? " again" : "")}");
            if (Answers)
                connection.Send(message.Payload, message.Type);
            if (Acknowledges)
                connection.Acknowledge();
        }
    }

    private void Note(string what)
    {
        lock (Log)
            Log.Add(what);
    }

    public static byte[] Bytes(long number, int length = 8)
    {
        byte[] bytes = new byte[Math.Max(length, 8)];
        for (int i = 8; i < bytes.Length; i++)
            bytes[i] = (byte)(number + i);
        BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
        return bytes;
    }
}
