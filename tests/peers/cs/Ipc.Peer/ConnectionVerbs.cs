using System;
using System.Threading;

namespace Ipc.Peer;

internal static class ConnectionVerbs
{
    /// <summary>Echo server: what comes in goes out, with the same type. Ends with its input.</summary>
    public static int Listen(string name, PeerOptions options)
    {
        using Listener listener = Listener.Open(name, new ListenerOptions { WaitMode = options.Ring.WaitMode });
        Thread input = new(() =>
        {
            while (Console.Read() >= 0)
            {
                // until the end of the input
            }

            listener.Stop();
        })
        { IsBackground = true };
        input.Start();
        Console.WriteLine("ready");
        for (; ; )
        {
            IpcStatus status = listener.Next(out ListenerEvent next, options.Deadline);
            if (status == IpcStatus.Stopped)
                return Program.Right;
            if (status != IpcStatus.Ok)
                return Program.Error(status, "while listening");
            Serve(listener, next, options);
        }
    }

    private static void Serve(Listener listener, ListenerEvent next, PeerOptions options)
    {
        Connection connection = next.Connection;
        switch (next.Kind)
        {
            case ListenerEventKind.Connect:
                if (connection.Hello.Span.StartsWith("refuse"u8))
                {
                    connection.Refuse("refused as asked");
                    return;
                }

                connection.Accept();
                listener.Return(connection);
                break;
            case ListenerEventKind.Readable when Echo(connection, options):
                listener.Return(connection);
                break;
            default:
                connection.Dispose();
                break;
        }
    }

    /// <summary>False: the connection is of no more use.</summary>
    private static bool Echo(Connection connection, PeerOptions options)
    {
        try
        {
            while (connection.Reader.TryRead(out RingRecord record))
            {
                if (connection.Writer.Write(record.Payload, record.Type, options.Deadline) != IpcStatus.Ok)
                    return false;
                connection.Reader.Release();
            }

            return true;
        }
        catch (IpcException error)
        {
            Console.Error.WriteLine($"connection {connection.Slot}: {error.Message}");
            return false;
        }
    }

    public static int Connect(string name, ulong count, string size, PeerOptions options)
    {
        ConnectOptions connect = new()
        {
            WaitMode = options.Ring.WaitMode,
            Deadline = options.HasTimeout ? options.Deadline : Deadline.Now,
            ToServerCapacity = options.CapacityOr(256 << 10),
            ToClientCapacity = options.CapacityOr(256 << 10),
            LoanBudget = options.Ring.LoanBudget,
        };
        using Connection connection = Connection.Connect(name, connect);
        ulong seed = 1;
        for (ulong number = 0; number < count; number++)
        {
            int length = Content.NextSize(size, Math.Min(connection.Writer.MaxPayload, connection.Reader.MaxPayload), ref seed);
            IpcStatus status = connection.Writer.Claim(length, out Span<byte> payload, options.Deadline);
            if (status != IpcStatus.Ok)
                return Program.Error(status, $"instead of sending number {number}");
            Content.Fill(payload, number);
            connection.Writer.Commit(length, (ushort)number);

            status = connection.Reader.Read(out RingRecord record, options.Deadline);
            if (status != IpcStatus.Ok)
                return Program.Error(status, $"instead of number {number}");
            string? wrong = record.Type != (ushort)number ? $"type {record.Type} of number {number}"
                : record.Payload.Length != length ? $"{record.Payload.Length} bytes of number {number}, {length} were sent"
                : Content.Check(record.Payload, number);
            if (wrong is not null)
            {
                Console.Error.WriteLine("wrong: " + wrong);
                return Program.Wrong;
            }

            connection.Reader.Release();
        }

        return Program.Right;
    }
}
