using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Ipc.AspNetCore.Peer;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Xunit;

namespace Ipc.AspNetCore.Tests;

/// <summary>What stays open: WebSockets, hubs of SignalR, server-sent events.</summary>
public sealed class LiveTests : ServerTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task WebSocketsGoBothWays(int version)
    {
        await ServeAsync();
        using ClientWebSocket socket = new();
        socket.Options.HttpVersion = version == 1 ? HttpVersion.Version11 : HttpVersion.Version20;
        socket.Options.HttpVersionPolicy = HttpVersionPolicy.RequestVersionExact;
        await socket.ConnectAsync(new Uri("ws://localhost/socket"), Own(new HttpMessageInvoker(IpcHttp.CreateHandler("web"))), Hang);

        foreach (int length in new[] { 0, 1, 100, 5_000, 1_000_000 })
        {
            byte[] sent = RandomNumberGenerator.GetBytes(length);
            Task sending = socket.SendAsync(sent.AsMemory(), WebSocketMessageType.Binary, endOfMessage: true, Hang).AsTask();
            Assert.Equal(sent, await ReceiveAsync(socket));
            await sending;
        }

        await socket.SendAsync("hello"u8.ToArray().AsMemory(), WebSocketMessageType.Text, endOfMessage: true, Hang);
        Assert.Equal("hello", Encoding.UTF8.GetString(await ReceiveAsync(socket)));
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "enough", Hang);
        Assert.Equal((WebSocketCloseStatus.NormalClosure, "enough"), (socket.CloseStatus, socket.CloseStatusDescription));
    }

    [Fact]
    public async Task AWebSocketOfAKilledServerEnds()
    {
        OtherProcess server = Peer();
        using ClientWebSocket socket = new();
        await socket.ConnectAsync(new Uri("ws://localhost/socket"), Own(new HttpMessageInvoker(IpcHttp.CreateHandler("web"))), Hang);
        ValueTask<ValueWebSocketReceiveResult> receiving = socket.ReceiveAsync(new byte[10].AsMemory(), Hang);
        server.Kill();
        WebSocketException error = await Assert.ThrowsAsync<WebSocketException>(async () => await receiving);
        Assert.Contains("has died", error.ToString(), StringComparison.Ordinal);
        Assert.Equal(WebSocketState.Aborted, socket.State);
    }

    /// <summary>The client of SignalR as it is, over each of its three ways: calls, errors, streams in both directions, and what the server sends by itself.</summary>
    [Theory]
    [InlineData(HttpTransportType.WebSockets)]
    [InlineData(HttpTransportType.ServerSentEvents)]
    [InlineData(HttpTransportType.LongPolling)]
    public async Task AHubOfSignalRServesItsClients(HttpTransportType way)
    {
        await ServeAsync();
        await using HubConnection one = Hub(way), other = Hub(way);
        Channel<string> heard = System.Threading.Channels.Channel.CreateUnbounded<string>();
        other.On<string>("Heard", text => heard.Writer.TryWrite(text));
        await Task.WhenAll(one.StartAsync(Hang), other.StartAsync(Hang));

        Assert.Equal(3, await one.InvokeAsync<int>("Add", 1, 2, Hang));
        int[] sums = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => one.InvokeAsync<int>("Add", i, i, Hang)));
        Assert.Equal(Enumerable.Range(0, 50).Select(static i => 2 * i), sums);
        HubException error = await Assert.ThrowsAsync<HubException>(() => one.InvokeAsync("Refuse", "not today", Hang));
        Assert.Contains("not today", error.Message, StringComparison.Ordinal);

        await one.InvokeAsync("Say", new string('x', 20_000), Hang);
        Assert.Equal(20_000, (await heard.Reader.ReadAsync(Hang)).Length);
        Assert.Equal(Enumerable.Range(0, 500), await one.StreamAsync<int>("Count", 500, Hang).ToListAsync(Hang));
        Assert.Equal(4950, await one.InvokeAsync<int>("Total", Enumerable.Range(0, 100).ToAsyncEnumerable(), Hang));
    }

    [Fact]
    public async Task AHubsConnectionComesBackToTheNextServer()
    {
        OtherProcess server = Peer();
        await using HubConnection hub = Hub(HttpTransportType.WebSockets);
        TaskCompletionSource came = new(TaskCreationOptions.RunContinuationsAsynchronously);
        hub.Reconnected += _ =>
        {
            came.TrySetResult();
            return Task.CompletedTask;
        };
        await hub.StartAsync(Hang);
        Assert.Equal(3, await hub.InvokeAsync<int>("Add", 1, 2, Hang));
        server.Kill();
        Peer();
        await came.Task.WaitAsync(Hang);
        Assert.Equal(7, await hub.InvokeAsync<int>("Add", 3, 4, Hang));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task ServerSentEventsComeOneByOne(int version)
    {
        await ServeAsync();
        HttpClient client = Http(version == 1 ? HttpVersion.Version11 : HttpVersion.Version20);
        Assert.Equal("true", await TickAsync());
        using StreamReader events = new(await client.GetStreamAsync("/events", Hang));
        for (int i = 0; i < 5; i++)
        {
            List<string> lines = [];
            while (await events.ReadLineAsync(Hang) is { Length: > 0 } line)
                lines.Add(line);
            Assert.Equal(["event: tick", $"data: {i}"], lines);
            Assert.Equal("true", await TickAsync()); // the next: none waits in a buffer for another
        }

        async Task<string> TickAsync()
        {
            using HttpResponseMessage answer = await client.PostAsync("/events", null, Hang);
            return await answer.Content.ReadAsStringAsync(Hang);
        }
    }

    private static HubConnection Hub(HttpTransportType way) => new HubConnectionBuilder()
        .WithUrl("http://localhost/hub", way, static options =>
        {
            options.HttpMessageHandlerFactory = static _ => IpcHttp.CreateHandler("web");
            options.WebSocketFactory = static async (context, cancellationToken) =>
            {
                ClientWebSocket socket = new();
                await socket.ConnectAsync(context.Uri, new HttpMessageInvoker(IpcHttp.CreateHandler("web")), cancellationToken);
                return socket;
            };
        })
        .WithAutomaticReconnect(new Persistent())
        .Build();

    private static async Task<byte[]> ReceiveAsync(WebSocket socket)
    {
        using MemoryStream whole = new();
        byte[] part = new byte[30_000];
        for (; ; )
        {
            ValueWebSocketReceiveResult received = await socket.ReceiveAsync(part.AsMemory(), Hang);
            whole.Write(part, 0, received.Count);
            if (received.EndOfMessage)
                return whole.ToArray();
        }
    }

    private sealed class Persistent : IRetryPolicy
    {
        public TimeSpan? NextRetryDelay(RetryContext retryContext) => TimeSpan.FromMilliseconds(50);
    }
}
