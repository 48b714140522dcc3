using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Net.Http;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace Ipc.Matrix.Cells;

/// <summary>A request posted, its response read: what a call of gRPC does at least.</summary>
internal sealed class Http2Link(bool isIpc) : HttpLink(isIpc)
{
    private static readonly Uri s_address = new("http://bench/cells");

    private HttpClient? _client;

    public override void Dispose()
    {
        _client?.Dispose();
        base.Dispose();
    }

    protected override void Map(WebApplication server) => server.Run(AnswerAsync);

    protected override void Connect(HttpMessageHandler handler) => _client = new HttpClient(handler) { Timeout = Patience };

    protected override async Task MeasureAsync(Work work, int count, Round round)
    {
        long number = work.Number, first = number + 1, end = first + count;
        for (; number < end; number++)
        {
            if (number == first)
                round.Begin();
            long began = Stopwatch.GetTimestamp();
            using HttpRequestMessage request = new(HttpMethod.Post, s_address)
            {
                Version = System.Net.HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(work.Codec.Request(number).ToArray()),
            };
            using HttpResponseMessage response = await _client!.SendAsync(request);
            work.Codec.CheckResponse(await response.EnsureSuccessStatusCode().Content.ReadAsByteArrayAsync(), number);
            if (number >= first)
                round.Note(began);
        }

        round.End();
        work.Number = number;
    }

    /// <summary>One request at a time: the codec is used by one thread.</summary>
    private async Task AnswerAsync(HttpContext context)
    {
        byte[] request = new byte[(int)context.Request.ContentLength!.Value];
        await context.Request.Body.ReadExactlyAsync(request);
        long number = BinaryPrimitives.ReadInt64LittleEndian(request);
        Current!.Codec.CheckRequest(request, number);
        byte[] response = Current.Codec.Response(number, 0).ToArray();
        context.Response.ContentLength = response.Length;
        await context.Response.Body.WriteAsync(response);
    }
}
