using System;
using System.Collections.Generic;
using System.Text;

namespace Ipc.Core.Tests;

/// <summary>A listener on a thread of its own that echoes; it remembers what happened.</summary>
public sealed class EchoServer : IDisposable
{
    public EchoServer(string name, ListenerOptions? options = null)
    {
        Listener = Listener.Open(name, options);
        Thread = new Background(Serve);
    }

    public Listener Listener { get; }

    /// <summary>Null: accept; else the reason.</summary>
    public Func<Connection, string?> Decide { get; set; } = static _ => null;

    public List<(int Slot, CloseCode Code)> Ended { get; } = new();

    public Background Thread { get; }

    public static string Call(Connection connection, string text)
    {
        IpcStatus status = connection.Writer.Write(Encoding.UTF8.GetBytes(text), 5, Deadline.After(TimeSpan.FromSeconds(30)));
        if (status != IpcStatus.Ok)
            return status.ToString();
        status = connection.Reader.Read(out RingRecord record, Deadline.After(TimeSpan.FromSeconds(30)));
        if (status != IpcStatus.Ok)
            return status.ToString();
        string answer = Encoding.UTF8.GetString(record.Payload.ToArray());
        connection.Reader.Release();
        return answer;
    }

    public void Dispose()
    {
        Listener.Stop();
        Thread.Join();
        Listener.Dispose();
    }

    private void Serve()
    {
        while (Listener.Next(out ListenerEvent next, Deadline.Never) == IpcStatus.Ok)
        {
            Connection connection = next.Connection;
            switch (next.Kind)
            {
                case ListenerEventKind.Connect when Decide(connection) is { } reason:
                    connection.Refuse(reason);
                    break;
                case ListenerEventKind.Connect:
                    connection.Accept();
                    Listener.Return(connection);
                    break;
                case ListenerEventKind.Readable when TryEcho(connection):
                    Listener.Return(connection);
                    break;
                case ListenerEventKind.Readable:
                    connection.Dispose();
                    break;
                default:
                    lock (Ended)
                        Ended.Add((connection.Slot, connection.PeerCloseCode));
                    connection.Dispose();
                    break;
            }
        }
    }

    private static bool TryEcho(Connection connection)
    {
        try
        {
            while (connection.Reader.TryRead(out RingRecord record))
            {
                if (connection.Writer.Write(record.Payload, record.Type, Deadline.Never) != IpcStatus.Ok)
                    return false;
                connection.Reader.Release();
            }

            return true;
        }
        catch (CorruptRegionException)
        {
            return false;
        }
    }
}
