using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>The server's side of <see cref="IBench"/>.</summary>
internal sealed class BenchService : IBench
{
    private readonly byte[] _content;

    public BenchService()
    {
        _content = new byte[1 << 20];
        Array.Fill(_content, (byte)'x');
    }

    public Blob Echo(Blob request) => request;

    public Blob Fetch(FetchRequest request)
    {
        if (request.Size != _content.Length)
            throw new ArgumentException($"This benchmark asks for {_content.Length} bytes, not {request.Size}.", nameof(request));
        return new Blob(_content);
    }

    public ValueTask<Blob> EchoAsync(Blob request) => new(request);

    public Ticket Touch(Ticket request) => request;

    public async IAsyncEnumerable<Sample> Watch(WatchRequest request)
    {
        for (int i = 0; i < request.Count; i++)
            yield return new Sample((ulong)i, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5);
        await Task.CompletedTask;
    }
}
