using System;

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

    public Ticket Touch(Ticket request) => request;
}
