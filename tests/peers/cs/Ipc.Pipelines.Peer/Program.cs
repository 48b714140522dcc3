using System;
using System.Globalization;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines;
using Ipc.Pipelines.Peer;

// The other process of the tests: echo NAME, source NAME SEED (a server that sends for ever), send NAME SEED (a client that does). Until its input ends.
string name = args[1];
switch (args[0])
{
    case "echo":
    case "source":
        using (IpcPipeListener listener = IpcPipeListener.Open(name))
        {
            Console.WriteLine("ready");
            _ = Serve(listener);
            await Console.In.ReadToEndAsync();
        }

        return 0;
    case "send":
        using (IpcPipe pipe = await IpcPipe.ConnectAsync(name))
        {
            Console.WriteLine("ready");
            await Send(pipe, int.Parse(args[2], CultureInfo.InvariantCulture));
        }

        return 0;
    default:
        return 2;
}

async Task Serve(IpcPipeListener listener)
{
    await foreach (IpcPipe pipe in listener.AcceptAllAsync())
        _ = args[0] == "echo" ? Echo(pipe) : Send(pipe, int.Parse(args[2], CultureInfo.InvariantCulture));
}

static async Task Echo(IpcPipe pipe)
{
    try
    {
        await pipe.Input.CopyToAsync(pipe.Output);
        await pipe.Output.CompleteAsync();
    }
    catch (IOException)
    {
        // the client has gone
    }
    finally
    {
        await pipe.DisposeAsync();
    }
}

// Pieces of all kinds: claimed in the ring and not, written whole, longer than the ring.
static async Task Send(IpcPipe pipe, int seed)
{
    Random random = new(seed);
    byte[] bytes = new byte[1 << 19];
    for (long position = 0; ;)
    {
        int length = random.Next(random.Next(2) == 0 ? 200 : bytes.Length);
        FlushResult flushed;
        if (random.Next(2) == 0)
        {
            Content.Fill(pipe.Output.GetSpan(length)[..length], position);
            pipe.Output.Advance(length);
            flushed = await pipe.Output.FlushAsync();
        }
        else
        {
            Content.Fill(bytes.AsSpan(0, length), position);
            flushed = await pipe.Output.WriteAsync(bytes.AsMemory(0, length));
        }

        if (flushed.IsCompleted)
            return;
        position += length;
        if (random.Next(50) == 0)
            await Task.Delay(1, CancellationToken.None); // the reader finds nothing, and sleeps
    }
}
