using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Parts;
using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Messages of Google.Protobuf travel through contracts as they are.</summary>
public sealed class PartsTests
{
    private static readonly Part _wheel = new() { Name = "wheel", Number = -7, Parts = { new Part { Name = "spoke" }, new Part() } };

    [Fact]
    public void AMessageGoesAndComesBack()
    {
        using var server = new OwnServer(PartsRpc.Service(new Parts()));
        IParts parts = PartsRpc.Client(server.Client);
        Assert.Equal(new Part { Parts = { _wheel, _wheel } }, parts.Twice(_wheel));
        Assert.Equal(new Part { Parts = { new Part(), new Part() } }, parts.Twice(new Part()));
    }

    [Fact]
    public async Task NullIsNotTheEmptyMessage()
    {
        using var server = new OwnServer(PartsRpc.Service(new Parts()));
        IParts parts = PartsRpc.Client(server.Client);
        Assert.Equal(_wheel, await parts.FindAsync("wheel", [new Part(), _wheel], TestContext.Current.CancellationToken));
        Assert.Equal(new Part(), await parts.FindAsync("", [new Part(), _wheel], TestContext.Current.CancellationToken));
        Assert.Null(await parts.FindAsync("none", [_wheel], TestContext.Current.CancellationToken));
    }

    [Fact]
    public void AMessageOfOursHoldsThem()
    {
        using var server = new OwnServer(PartsRpc.Service(new Parts()));
        Box box = PartsRpc.Client(server.Client).Wrap(_wheel);
        Assert.Equal(_wheel, box.Content);
        Assert.Equal(_wheel, box.ByName["wheel"]);
    }

    [Fact]
    public async Task TheyTravelAsStreams()
    {
        using var server = new OwnServer(PartsRpc.Service(new Parts()));
        var names = new List<string>();
        await foreach (Part part in PartsRpc.Client(server.Client).Renamed("my-", OwnServer.Items(_wheel, new Part { Name = "bell" }), TestContext.Current.CancellationToken))
            names.Add(part.Name);
        Assert.Equal(["my-wheel", "my-bell"], names);
    }

    [Fact]
    public void BytesThatAreNoSuchMessageAreRefusedAsOurOwnAre()
    {
        var error = Assert.Throws<ProtoException>(() => PartsRpc.Codecs.Part.Decode([0x0a, 0x05, 0x41]));
        Assert.Equal(ProtoError.SerializerFailed, error.Error);
        Assert.IsType<Google.Protobuf.InvalidProtocolBufferException>(error.InnerException);
        Assert.Throws<ProtoException>(() => PartsRpc.Codecs.Part.Encode(_wheel, new byte[3]));
        Assert.Throws<ProtoException>(() => PartsRpc.Codecs.Part.Encode(null!, new byte[3]));
        Assert.Equal("ipc.parts.Part", PartsRpc.Codecs.Part.FullName);
    }

    private sealed class Parts : IParts
    {
        public Part Twice(Part part) => new() { Parts = { part, part } };

        public Task<Part?> FindAsync(string name, IReadOnlyList<Part> among, CancellationToken cancel) => Task.FromResult(among.FirstOrDefault(p => p.Name == name));

        public Box Wrap(Part part) => new() { Content = part, ByName = { [part.Name] = part } };

        public async IAsyncEnumerable<Part> Renamed(string prefix, IAsyncEnumerable<Part> parts, [EnumeratorCancellation] CancellationToken cancel)
        {
            await foreach (Part part in parts.WithCancellation(cancel))
                yield return new Part { Name = prefix + part.Name };
        }
    }
}
