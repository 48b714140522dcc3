using System;
using System.Text;
using System.Threading.Tasks;
using Ipc;

namespace Snippets;

internal static class Connections
{
    public static async Task Run()
    {
        // snippet: serve
        using Listener listener = Listener.Open("echo");
        Task serving = Task.Run(() => Serve(listener));
        // end-snippet

        // snippet: client
        using (Connection connection = Connection.Connect("echo"))
        {
            Deadline soon = Deadline.After(TimeSpan.FromSeconds(5));
            if (connection.Writer.Write("hello"u8, 0, soon) == IpcStatus.Ok && connection.Reader.Read(out RingRecord answer, soon) == IpcStatus.Ok)
                Console.WriteLine(Encoding.UTF8.GetString(answer.Payload)); //> hello
            connection.Reader.Release();
        }
        // end-snippet

        listener.Stop();
        await serving;
    }

    // snippet: loop
    private static void Serve(Listener listener)
    {
        while (listener.Next(out ListenerEvent e, Deadline.Never) == IpcStatus.Ok) // until Stop
        {
            switch (e.Kind)
            {
                case ListenerEventKind.Connect:
                    e.Connection.Accept(); // or Refuse(reason)
                    break;
                case ListenerEventKind.Readable:
                    while (e.Connection.Reader.TryRead(out RingRecord record))
                    {
                        if (!e.Connection.Writer.TryWrite(record.Payload))
                            break; // this client does not read its answers: the rest of what it asked is dropped
                    }

                    e.Connection.Reader.Release();
                    break;
                case ListenerEventKind.Closed:
                    e.Connection.Dispose();
                    continue;
            }

            listener.Return(e.Connection); // watched again
        }
    }
    // end-snippet
}
