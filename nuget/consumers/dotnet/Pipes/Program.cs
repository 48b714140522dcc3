using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Ipc.Pipelines;

// Echoes through the pipes of a server in another process, then of one in this process; the end of what is sent is seen at the other side, and comes back.
await Echo(args[0]);
using (IpcPipeListener own = IpcPipeListener.Open("pipes.own"))
{
    Task served = Serve(own);
    await Echo("pipes.own");
    await served;
}

Console.WriteLine("100 echoes by another process and 100 by this one, by " + System.Runtime.InteropServices.RuntimeInformation.FrameworkDescription);

static async Task Serve(IpcPipeListener listener)
{
    using IpcPipe pipe = await listener.AcceptAsync();
    await pipe.Input.CopyToAsync(pipe.Output);
    await pipe.Output.CompleteAsync();
}

static async Task Echo(string name)
{
    byte[] sent = Encoding.ASCII.GetBytes("from a stranger"), back = new byte[sent.Length];
    using IpcPipe pipe = await IpcPipe.ConnectAsync(name);
    Stream stream = pipe.AsStream();
    for (int i = 0; i < 100; i++)
    {
        if (i % 2 == 0)
            await stream.WriteAsync(sent, 0, sent.Length);
        else
            await pipe.Output.WriteAsync(sent);
        Array.Clear(back, 0, back.Length);
        int length = 0;
        for (int read = 1; length < back.Length && read > 0; length += read)
            read = await stream.ReadAsync(back, length, back.Length - length);
        if (!back.SequenceEqual(sent))
            throw new InvalidOperationException("other bytes came back after " + i + " echoes: " + length);
    }

    await pipe.Output.CompleteAsync();
    if (await stream.ReadAsync(back, 0, back.Length) != 0)
        throw new InvalidOperationException("more came back than was sent");
}
