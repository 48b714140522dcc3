using System;
using System.Globalization;
using System.IO;
using System.IO.Pipelines;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Threading.Tasks;
using Ipc.AspNetCore.Peer;
using Ipc.Pipelines;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>HTTP of both versions, as ASP.NET Core and HttpClient speak it.</summary>
public sealed class HttpTests : ServerTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task BothVersionsWorkAtOneNameAndTheServerKnowsWhoAsks(int version)
    {
        await ServeAsync();
        Version wanted = version == 1 ? HttpVersion.Version11 : HttpVersion.Version20;
        string answer = await Http(wanted).GetStringAsync("/peer", Hang);
        Assert.Equal($"HTTP/{(version == 1 ? "1.1" : "2")} {Environment.ProcessId}", answer);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task AHundredMegabytesGoBothWays(int version)
    {
        await ServeAsync();
        const long Total = 100 << 20;
        HttpClient client = Http(version == 1 ? HttpVersion.Version11 : HttpVersion.Version20);
        using HttpResponseMessage sent = await client.PostAsync("/length", new Zeros(Total), Hang);
        Assert.Equal(Total.ToString(CultureInfo.InvariantCulture), await sent.Content.ReadAsStringAsync(Hang));

        using HttpResponseMessage got = await client.GetAsync($"/bytes/{Total}", HttpCompletionOption.ResponseHeadersRead, Hang);
        Stream body = await got.Content.ReadAsStreamAsync(Hang);
        byte[] bytes = new byte[1 << 16];
        long length = 0;
        for (int read; (read = await body.ReadAsync(bytes, Hang)) != 0;)
            length += read;
        Assert.Equal(Total, length);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task BodiesOfRandomSizesComeBackAsTheyWere(int version)
    {
        await ServeAsync();
        HttpClient client = Http(version == 1 ? HttpVersion.Version11 : HttpVersion.Version20, new IpcPipeOptions { SendCapacity = 16384, ReceiveCapacity = 16384 });
        Random random = new(version);
        await Task.WhenAll(Enumerable.Range(0, 60).Select(async _ =>
        {
            byte[] body = new byte[random.Next(random.Next(2) == 0 ? 300 : 300_000)];
            random.NextBytes(body);
            using HttpResponseMessage answer = await client.PostAsync("/echo", new ByteArrayContent(body), Hang);
            Assert.Equal(body, await answer.Content.ReadAsByteArrayAsync(Hang));
        }));
    }

    [Fact]
    public async Task OtherEndPointsGoOnBeside()
    {
        string path = Path.Combine(Path.GetTempPath(), $"ipc-{Guid.NewGuid():N}.sock");
        WebApplication server = await ServeAsync(configure: host => host.ConfigureKestrel(kestrel => kestrel.ListenUnixSocket(path)));
        Assert.Contains(server.Urls, static url => url.Contains("ipc:web", StringComparison.Ordinal));
        using HttpClient socket = new(new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancel) =>
            {
                Socket one = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await one.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
                return new NetworkStream(one, ownsSocket: true);
            },
        });
        Assert.Equal("HTTP/1.1 nobody", await socket.GetStringAsync(new Uri("http://localhost/peer"), Hang));
        Assert.Equal($"HTTP/1.1 {Environment.ProcessId}", await Http().GetStringAsync("/peer", Hang));
    }

    [Fact]
    public async Task ManyClientsAtOnce()
    {
        await ServeAsync();
        HttpClient[] clients = [.. Enumerable.Range(0, 60).Select(i => Http(i % 2 == 0 ? HttpVersion.Version11 : HttpVersion.Version20, new IpcPipeOptions { SendCapacity = 16384, ReceiveCapacity = 16384 }))];
        for (int round = 0; round < 3; round++)
            await Task.WhenAll(clients.Select(static client => client.GetStringAsync("/peer", Hang)));
    }

    [Fact]
    public async Task AServerThatIsNotThereIsATypedErrorAndOneThatComesIsFound()
    {
        HttpRequestException error = await Assert.ThrowsAsync<HttpRequestException>(() => Http().GetStringAsync("/peer", Hang));
        Assert.Equal(IpcStatus.NotFound, Assert.IsType<IpcException>(error.InnerException).Status);
        Task<string> waiting = Http(options: new IpcPipeOptions { ConnectTimeout = Watchdog.Patience }).GetStringAsync("/peer", Hang);
        await ServeAsync();
        Assert.Equal($"HTTP/1.1 {Environment.ProcessId}", await waiting);
    }

    [Fact]
    public async Task AKilledServerIsATypedErrorAndItsSuccessorIsFound()
    {
        OtherProcess server = Peer();
        HttpClient client = Http();
        Assert.Equal($"HTTP/1.1 {Environment.ProcessId}", await client.GetStringAsync("/peer", Hang));
        using HttpResponseMessage response = await client.GetAsync($"/bytes/{1L << 40}", HttpCompletionOption.ResponseHeadersRead, Hang);
        Stream body = await response.Content.ReadAsStreamAsync(Hang);
        _ = await body.ReadAsync(new byte[100], Hang);
        server.Kill();
        Exception error = await Assert.ThrowsAnyAsync<IOException>(async () => await body.CopyToAsync(Stream.Null, Hang));
        while (error is not IpcException && error.InnerException is { } inner)
            error = inner;
        Assert.Equal(IpcStatus.PeerDied, Assert.IsType<IpcException>(error).Status);
        Peer();
        Assert.Equal($"HTTP/1.1 {Environment.ProcessId}", await client.GetStringAsync("/peer", Hang));
    }

    [Fact]
    public async Task AServerThatStopsLetsGoAndAnotherTakesItsName()
    {
        WebApplication first = await ServeAsync();
        HttpClient client = Http(HttpVersion.Version20);
        await client.GetStringAsync("/peer", Hang);
        await first.StopAsync(Hang);
        await first.DisposeAsync();
        await ServeAsync();
        await client.GetStringAsync("/peer", Hang);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task GarbageHarmsNobodyElse(int kind)
    {
        await ServeAsync();
        Random random = new(kind);
        byte[] garbage = new byte[100_000];
        random.NextBytes(garbage);
        byte[] begin = kind switch { 0 => [], 1 => "GET / HTTP/1.1\r\n"u8.ToArray(), _ => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray() };
        for (int i = 0; i < 10; i++)
        {
            using IpcPipe hostile = await IpcPipe.ConnectAsync("web", cancellationToken: Hang);
            await hostile.Output.WriteAsync(begin, Hang);
            await hostile.Output.WriteAsync(garbage.AsMemory(i * 7), Hang);
            try
            {
                for (ReadResult answer = default; !answer.IsCompleted; hostile.Input.AdvanceTo(answer.Buffer.End))
                    answer = await hostile.Input.ReadAsync(Hang); // until the server has had enough
            }
            catch (IpcException)
            {
                // that is an end, too
            }
        }

        using Connection raw = await Connection.ConnectAsync("web", new ConnectOptions { Hello = "ipcpipe\x01"u8.ToArray(), LoanBudget = 0 }, Hang);
        Assert.True(raw.Writer.TryWrite(garbage.AsSpan(0, 100), type: 77)); // what no pipe writes
        Watchdog.Until(() => raw.PeerCloseCode == CloseCode.Protocol, "the connection to be closed");
        Assert.Equal($"HTTP/1.1 {Environment.ProcessId}", await Http().GetStringAsync("/peer", Hang));
    }

    private sealed class Zeros(long length) : HttpContent
    {
        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            byte[] bytes = new byte[1 << 16];
            for (long sent = 0; sent < length; sent += bytes.Length)
                await stream.WriteAsync(bytes.AsMemory(0, (int)Math.Min(bytes.Length, length - sent)));
        }

        protected override bool TryComputeLength(out long known)
        {
            known = length;
            return true;
        }
    }
}
