using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Native.Tests;

/// <summary>What a side of a named connection has bound it to: only C# binds (<see cref="NamedConnection.Bind"/>), and the C library at the other end, which knows the words and never
/// writes them, neither undoes it nor takes it into a conversation that it begins anew. docs/wire-format/named.md, bytes 288 to 327.</summary>
public sealed class BoundTests : IDisposable
{
    private const string Client = "trader-7";
    private static readonly Guid _id = new("00112233-4455-6677-8899-aabbccddeeff");
    private readonly string _server = "bound." + Environment.ProcessId + "." + Guid.NewGuid().ToString("N");

    private static NativeDeadline Soon => NativeDeadline.After(TimeSpan.FromSeconds(30));

    private static CancellationToken Stopping => TestContext.Current.CancellationToken;

    public void Dispose() => NativeNamedConnection.Remove(_server, Client);

    [Fact]
    public async Task AServersStaysWhileItsClientInCComesAgainAndIsGoneWhenThatBeginsAnew()
    {
        var client = NativeNamedConnection.Open(_server, Client);
        Guid conversation;
        using (NamedListener listener = NamedListener.Open(_server, new NamedListenerOptions { Identity = "monday" }))
        {
            NamedConnection server = await LogIn(listener, client);
            conversation = server.Id;
            Assert.Equal(Guid.Empty, server.Bound);
            server.Bind(_id);
            Assert.Equal(_id, server.Bound);
        }

        client.Dispose();
        using (var inCSharp = NamedConnection.Open(_server, Client))
            Assert.Equal((conversation, Guid.Empty), (inCSharp.Id, inCSharp.Bound)); // the client's side has a note of its own
        client = NativeNamedConnection.Open(_server, Client);
        using (NamedListener next = NamedListener.Open(_server, new NamedListenerOptions { Identity = "monday" }))
        {
            NamedConnection server = await LogIn(next, client);
            Assert.Equal((conversation, _id), (server.Id, server.Bound));
        }

        using (NamedListener another = NamedListener.Open(_server, new NamedListenerOptions { Identity = "tuesday" }))
        {
            NamedConnection server = await LogIn(another, client);
            Assert.NotEqual(conversation, server.Id);
            Assert.Equal(Guid.Empty, server.Bound);
        }

        client.Dispose();
    }

    [Fact]
    public async Task AClientsStaysWhileItsServerInCComesAgainAndIsGoneWhenItBeginsAnew()
    {
        Guid conversation;
        using (NamedConnection client = NamedConnection.Open(_server, Client))
        {
            conversation = client.Id;
            client.Bind(_id);
            using NativeNamedListener listener = NativeNamedListener.Open(_server, new NativeNamedListenerOptions { Identity = "monday" });
            await LogIn(listener, client);
        }

        using (var inC = NativeNamedConnection.Open(_server, Client))
            Assert.Equal(NativeStatus.Ok, inC.TrySend("in between"u8, 0, out _)); // a client of this name, which does not bind

        using NamedConnection again = NamedConnection.Open(_server, Client);
        Assert.Equal((conversation, _id), (again.Id, again.Bound));
        using (NativeNamedListener next = NativeNamedListener.Open(_server, new NativeNamedListenerOptions { Identity = "monday" }))
            await LogIn(next, again);
        Assert.Equal((conversation, _id), (again.Id, again.Bound));

        using (NativeNamedListener another = NativeNamedListener.Open(_server, new NativeNamedListenerOptions { Identity = "tuesday" }))
            await LogIn(another, again);
        Assert.NotEqual(conversation, again.Id);
        Assert.Equal(Guid.Empty, again.Bound);

        again.Bind(_id);
        again.BeginAnew(); // without a server
        Assert.Equal(Guid.Empty, again.Bound);
    }

    private static async Task<NamedConnection> LogIn(NamedListener listener, NativeNamedConnection client)
    {
        Task<NativeStatus> connecting = Task.Factory.StartNew(() => client.Connect(Soon), Stopping, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.Equal(IpcStatus.Ok, listener.Next(out NamedEvent found, Deadline.After(TimeSpan.FromSeconds(30)), Stopping));
        Assert.Equal(NamedEventKind.Login, found.Kind);
        found.Connection.Accept();
        Assert.Equal(NativeStatus.Ok, await connecting);
        return found.Connection;
    }

    private static async Task LogIn(NativeNamedListener listener, NamedConnection client)
    {
        Task connecting = Task.Factory.StartNew(() => client.Connect(TimeSpan.FromSeconds(30)), Stopping, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.Equal(NativeStatus.Ok, listener.Next(out NativeNamedEvent? found, Soon, Stopping));
        Assert.NotNull(found);
        Assert.Equal(NativeNamedEventKind.Login, found.Kind);
        found.Connection.Accept();
        await connecting;
    }
}
