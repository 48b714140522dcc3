using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Core.Tests;
using Ipc.Rpc;
using Ipc.Testing.Drive;
using QuickStart;
using Xunit;

namespace Ipc.Tcp.Tests;

/// <summary>An address where a name may stand.</summary>
public sealed class AddressTests : TcpTest
{
    public AddressTests()
    {
        LeavesFiles = true; // conversations stay
        TcpAddresses.Register(ExitOptions);
        Own(new Closing());
    }

    private static ConnectOptions Patient => new() { Deadline = Deadline.After(Watchdog.Patience) };

    [Fact]
    public async Task ConnectionsGoThere()
    {
        using EchoServer server = new("there");
        string address = AddressOf(OpenEntrance());
        using Connection blocking = Connection.Connect(address, Patient);
        Assert.Equal("one", Echo(blocking, "one"));
        Assert.True(Connection.TryConnect(address, out Connection? tried, Patient));
        using (tried)
            Assert.Equal("two", Echo(tried, "two"));
        using Connection awaited = await Connection.ConnectAsync(address, Patient, TestContext.Current.CancellationToken);
        Assert.Equal("three", Echo(awaited, "three"));
        using Connection here = Connection.Connect("ipc:there", Patient);
        Assert.Equal("four", Echo(here, "four"));
    }

    [Fact]
    public void CallsGoThere()
    {
        using RpcServer server = RpcServer.Start("there", QuotesRpc.Service(new Quotes()));
        using RpcClient client = RpcClient.Connect(AddressOf(OpenEntrance()));
        Assert.Equal(6, QuotesRpc.Client(client).Get(new QuoteRequest("EURUSD")).Price);
    }

    /// <summary>A client that connects again does so by its address: the way may have been closed meanwhile.</summary>
    [Fact]
    public void AClientFindsTheWayAnew()
    {
        using RpcServer server = RpcServer.Start("there", QuotesRpc.Service(new Quotes()));
        using RpcClient client = RpcClient.Connect(AddressOf(OpenEntrance()));
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(6, QuotesRpc.Client(client).Get(new QuoteRequest("EURUSD")).Price);
            TcpAddresses.Close();
        }
    }

    [Fact]
    public void ConversationsGoThere()
    {
        using NamedServer server = new("there");
        string address = AddressOf(OpenEntrance());
        using (NamedConnection first = NamedConnection.Open(address, "anna"))
        {
            first.Connect(Watchdog.Patience);
            first.Send(NamedServer.Bytes(1, 8));
            Watchdog.Until(() => first.Unacknowledged == 0, "the message to be there");
        }

        TcpAddresses.Close(); // as another process would have it
        using NamedConnection second = NamedConnection.Open(address, "anna");
        second.Connect(Watchdog.Patience);
        Assert.Equal(2, second.Send(NamedServer.Bytes(2, 8)));
        using NamedConnection other = NamedConnection.Open(address, "bob"); // with a way of its own
        other.Connect(Watchdog.Patience);
        Assert.Equal(1, other.Send(NamedServer.Bytes(1, 8)));
        Watchdog.Until(() => second.Unacknowledged == 0 && other.Unacknowledged == 0, "the messages to be there");
    }

    /// <summary>The same object, with what it has sent meanwhile; a scheme that leads elsewhere by then is refused.</summary>
    [Fact]
    public void AConversationFindsTheWayAnew()
    {
        using NamedServer server = new("there");
        using NamedConnection client = NamedConnection.Open(AddressOf(OpenEntrance()), "anna");
        for (int i = 1; i <= 4; i++)
        {
            client.Connect(Watchdog.Patience);
            Assert.Equal(i, client.Send(NamedServer.Bytes(i, 8)));
            Watchdog.Until(() => client.Unacknowledged == 0, "the message to be there");
            TcpAddresses.Close();
            Watchdog.Until(() => !client.IsConnected, "the end of the session");
        }

        using NamedServer first = new("first"), second = new("second");
        string name = "first";
        AddressScheme.Register("moving", (_, who) => who == "bob" ? name : "");
        using NamedConnection moved = NamedConnection.Open("moving:x", "bob", new NamedConnectionOptions { Reconnect = false });
        moved.Connect(Watchdog.Patience);
        first.Dispose();
        Watchdog.Until(() => !moved.IsConnected, "the end of the session");
        name = "second";
        Assert.Contains("\"second\"", Fails(IpcStatus.InvalidName, () => moved.Connect(Watchdog.Patience)).Message, StringComparison.Ordinal);
    }

    /// <summary>Another process has the first number; and what a name must not have is not in it.</summary>
    [Theory]
    [InlineData("tcp:127.0.0.1:5000/there", "tcp_127.0.0.1_5000_there")]
    [InlineData("tcp:[::1]:5000/there", null)]
    [InlineData("tcp:a.host.whose.name.is.so.long.that.no.name.of.a.region.could.have.it.with.all.that.stands.behind.it.as.well.example:5000/there", null)]
    public void EachProcessHasAWayOfItsOwn(string address, string? name)
    {
        if (name is not null)
            Own(Listener.Open(name + ".1"));
        for (int i = 0; i < 3; i++)
            Assert.ThrowsAny<IpcException>(() => Connection.Connect(address, Patient).Dispose()); // there is no entrance
        string[] files = [.. Directory.GetFiles(Regions.Path, "tcp_*").Select(Path.GetFileName).Order(StringComparer.Ordinal)!];
        if (name is not null)
            Assert.Equal([name + ".1", name + ".2"], files);
        else
            Assert.Single(files);
    }

    /// <summary>Whatever the options say, and whatever becomes of them: the other process's clients would be led by this one.</summary>
    [Fact]
    public void NobodyTakesAnotherProcesssWay()
    {
        TcpExitOptions options = new() { Listener = new ListenerOptions { TakeOver = true } };
        TcpAddresses.Register(options);
        Listener other = Own(Listener.Open("tcp_127.0.0.1_5000_there.1", new ListenerOptions { TakeOver = true }));
        options.Listener.MaxRingCapacity = -1;
        Fails(IpcStatus.PeerClosed, () => Connection.Connect("tcp:127.0.0.1:5000/there", Patient).Dispose()); // there is no entrance
        Assert.False(other.IsFollowed);
        Assert.True(File.Exists(Path.Combine(Regions.Path, "tcp_127.0.0.1_5000_there.2")));
    }

    /// <summary>Every option there is, also one that is new: but for taking a name over, and the identity, which an exit says itself.</summary>
    [Theory]
    [InlineData(nameof(ListenerOptions.TakeOver))]
    [InlineData(nameof(NamedListenerOptions.Identity))]
    public void TheOptionsOfItsListenersAreKeptWhole(string but)
    {
        TcpExitOptions given = new() { Listener = Unusual<ListenerOptions>(), NamedListener = Unusual<NamedListenerOptions>() };
        TcpExitOptions own = TcpAddresses.OwnOf(given);
        (object from, object to) = but == nameof(ListenerOptions.TakeOver) ? ((object)given.Listener, (object)own.Listener!) : (given.NamedListener, own.NamedListener!);
        Assert.NotSame(from, to);
        object usual = Activator.CreateInstance(from.GetType())!;
        foreach (System.Reflection.PropertyInfo each in from.GetType().GetProperties())
        {
            Assert.NotEqual(each.GetValue(usual), each.GetValue(from)); // this test knows its type
            Assert.Equal(each.GetValue(each.Name == but ? usual : from), each.GetValue(to));
        }
    }

    [Theory]
    [InlineData("tcp:nowhere")]
    [InlineData("tcp:host:port/name")]
    [InlineData("amqp:broker/name")]
    [InlineData("ipc:")]
    [InlineData("ipc:a:b")]
    [InlineData(":there")]
    public void WhatIsNoAddressIsRefused(string address)
    {
        Fails(IpcStatus.InvalidName, () => Connection.Connect(address).Dispose());
        Fails(IpcStatus.InvalidName, () => NamedConnection.Open(address, "anna").Dispose());
        Fails(IpcStatus.InvalidName, () => RpcClient.Connect(address).Dispose());
    }

    /// <summary>A client that can have no conversation gets no way that would stay, and no resolver sees its name.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("a b")]
    [InlineData("machine/anna")]
    public void WhoIsNoClientGetsNoWay(string client)
    {
        int asked = 0;
        AddressScheme.Register("own", (_, _) =>
        {
            asked++;
            return "there";
        });
        Assert.ThrowsAny<IpcException>(() => NamedConnection.Open("own:there", client).Dispose());
        Assert.ThrowsAny<IpcException>(() => NamedConnection.Open("tcp:127.0.0.1:5000/there", client).Dispose());
        Assert.Throws<ArgumentNullException>(() => NamedConnection.Open("own:there", null!).Dispose());
        Assert.Throws<ArgumentNullException>(() => NamedConnection.Open("tcp:127.0.0.1:5000/there", null!).Dispose());
        Assert.Equal(0, asked);
        Assert.Empty(Directory.GetFiles(Regions.Path, "tcp_*"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("ipc")]
    [InlineData("a:b")]
    public void WhatIsNoSchemeIsRefused(string scheme) =>
        Assert.Throws<ArgumentException>(() => AddressScheme.Register(scheme, static (address, _) => address));

    /// <summary>On the thread that connects, and its exception is the caller's; what it returns is looked at like a name.</summary>
    [Fact]
    public void ASchemeOfOnesOwnIsAskedEachTime()
    {
        using EchoServer server = new("there");
        int asked = 0, thread = 0;
        AddressScheme.Register("own", (address, client) =>
        {
            thread = Environment.CurrentManagedThreadId;
            asked++;
            Assert.Null(client);
            return address switch
            {
                "own:here" => "there",
                "own:nested" => "own:here",
                "own:null" => null!,
                _ => throw new InvalidOperationException(address),
            };
        });
        for (int i = 1; i <= 3; i++)
        {
            using Connection connection = Connection.Connect("own:here", Patient);
            Assert.Equal("one", Echo(connection, "one"));
            Assert.Equal((i, Environment.CurrentManagedThreadId), (asked, thread));
        }

        Fails(IpcStatus.InvalidName, () => Connection.Connect("own:nested", Patient).Dispose());
        Fails(IpcStatus.InvalidName, () => Connection.Connect("own:null", Patient).Dispose());
        IpcException error = Fails(IpcStatus.SystemError, () => Connection.Connect("own:other", Patient).Dispose());
        Assert.IsType<InvalidOperationException>(error.InnerException);
        RpcCallException failed = Assert.ThrowsAny<RpcCallException>(() => RpcClient.Connect("own:other").Dispose());
        Assert.Equal(RpcStatus.Unavailable, failed.Status);
    }

    /// <summary>With no option as it is by default.</summary>
    private static T Unusual<T>()
        where T : new()
    {
        T made = new();
        foreach (System.Reflection.PropertyInfo each in typeof(T).GetProperties())
        {
            each.SetValue(made, each.GetValue(made) switch
            {
                int number => number + 1,
                long number => number + 1,
                bool flag => !flag,
                TimeSpan time => time + TimeSpan.FromMilliseconds(1),
                WaitMode => WaitMode.Block,
                Access => Access.Everybody,
                ConnectionProtocol => new ConnectionProtocol(7, 2, 1),
                null => "another",
                object other => other,
            });
        }

        return made;
    }

    private sealed class Quotes : IQuotes
    {
        public Quote Get(QuoteRequest request) => new(request.Symbol, request.Symbol.Length);

        public System.Collections.Generic.IAsyncEnumerable<Quote> Watch(QuoteRequest request, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }

    private sealed class Closing : IDisposable
    {
        public void Dispose() => TcpAddresses.Close();
    }
}
