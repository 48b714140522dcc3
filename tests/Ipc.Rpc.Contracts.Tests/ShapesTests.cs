using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>What the generator writes for each shape of a method calls the right method with the right arguments, and brings back what it gave.</summary>
public sealed class ShapesTests
{
    [Fact]
    public async Task AStreamGoesBesideOtherArguments()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        Assert.Equal(1006, await ShapesRpc.Client(server.Client).SumAsync(1000, OwnServer.Items(1, 2, 3), Cancel));
    }

    [Fact]
    public async Task StreamsGoBothWays()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        var words = new List<string>();
        await foreach (string word in ShapesRpc.Client(server.Client).Repeat(2, OwnServer.Items("a", "b"), Cancel))
            words.Add(word);
        Assert.Equal(["a", "a", "b", "b"], words);
    }

    [Fact]
    public async Task OneWayCallsArriveInOrder()
    {
        var shapes = new Shapes();
        using var server = new OwnServer(ShapesRpc.Service(shapes));
        IShapes client = ShapesRpc.Client(server.Client);
        client.Note("one", 1);
        Assert.Equal("one 1", await shapes.Notes.Reader.ReadAsync(Cancel));
        Assert.True(client.NoteAsync("two", 2, Cancel).IsCompletedSuccessfully); // published is done
        Assert.Equal("two 2", await shapes.Notes.Reader.ReadAsync(Cancel));
        Assert.True(client.NoteAsync("never", 3, new CancellationToken(canceled: true)).IsCanceled);
        client.Note("last", 4);
        Assert.Equal("last 4", await shapes.Notes.Reader.ReadAsync(Cancel));
    }

    [Fact]
    public async Task ProgressComesBeforeTheAnswer()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        var reports = new Reports();
        Assert.Equal("house", await ShapesRpc.Client(server.Client).BuildAsync("house", 3, reports, Cancel));
        Assert.Equal(reports.Seen.Order(), reports.Seen); // some may be left out for newer ones
        Assert.All(reports.Seen, static step => Assert.InRange(step, 1, 3));
    }

    [Fact]
    public void AnInlineMethodIsCalledLikeAnyOther()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        Assert.Equal(8, ShapesRpc.Client(server.Client).Quick(7));
    }

    [Fact]
    public void AnErrorCarriesItsDetail()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        var error = Assert.Throws<RpcCallException>(() => ShapesRpc.Client(server.Client).Refuse(12));
        RpcDetail detail = Assert.Single(error.Details);
        Assert.Equal("type.googleapis.com/shapes.v1.Limit", detail.TypeUrl);
        Assert.True(detail.TryRead(ShapesRpc.Codecs.Limit, out Limit limit));
        Assert.Equal(12, limit.Max);
    }

    [Fact]
    public async Task AHandlerCallsBackThroughTheCallbacksContract()
    {
        var options = new RpcClientOptions { Services = { ShapeEventsRpc.Service(new Events("yes")) } };
        using var server = new OwnServer(options, ShapesRpc.Service(new Shapes()));
        Assert.Equal("ready? yes", await ShapesRpc.Client(server.Client).AskBackAsync("ready?"));

        RpcCallException thrown = await Assert.ThrowsAsync<RpcCallException>(() => ShapesRpc.Client(server.Client).AskBackAsync("")); // through both handlers
        Assert.Equal(RpcStatus.InvalidArgument, thrown.Status);
        Assert.Equal("no question", thrown.Message);
    }

    [Fact]
    public async Task AClientThatOffersNothingCannotBeCalledBack()
    {
        using var server = new OwnServer(ShapesRpc.Service(new Shapes()));
        RpcCallException thrown = await Assert.ThrowsAsync<RpcCallException>(() => ShapesRpc.Client(server.Client).AskBackAsync("ready?"));
        Assert.Equal(RpcStatus.Unimplemented, thrown.Status);
        Assert.Equal(8, ShapesRpc.Client(server.Client).Quick(7));
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private sealed class Reports : IProgress<int>
    {
        public List<int> Seen { get; } = [];

        public void Report(int value) => Seen.Add(value);
    }

    private sealed class Events(string answer) : IShapeEvents
    {
        public async Task<string> AnswerAsync(string question)
        {
            await Task.Yield();
            return question.Length == 0 ? throw new RpcCallException(RpcStatus.InvalidArgument, "no question") : question + " " + answer;
        }
    }

    private sealed class Shapes : IShapes
    {
        public Channel<string> Notes { get; } = Channel.CreateUnbounded<string>();

        public async Task<long> SumAsync(long start, IAsyncEnumerable<int> values, CancellationToken cancel)
        {
            await foreach (int value in values.WithCancellation(cancel))
                start += value;
            return start;
        }

        public async IAsyncEnumerable<string> Repeat(int times, IAsyncEnumerable<string> words, [EnumeratorCancellation] CancellationToken cancel)
        {
            await foreach (string word in words.WithCancellation(cancel))
            {
                for (int i = 0; i < times; i++)
                    yield return word;
            }
        }

        public void Note(string line, int number) => Notes.Writer.TryWrite(line + " " + number);

        public Task NoteAsync(string line, int number, CancellationToken cancel) => throw new NotSupportedException("The synchronous form is the one that is called.");

        public async Task<string> BuildAsync(string what, int steps, IProgress<int> progress, CancellationToken cancel)
        {
            for (int step = 1; step <= steps; step++)
            {
                progress.Report(step);
                await Task.Yield();
            }

            return what;
        }

        public int Quick(int value) => value + 1;

        public void Refuse(int max)
            => throw new RpcCallException(RpcStatus.OutOfRange, "too many", [RpcDetail.Of(ShapesRpc.Codecs.Limit, new Limit { Max = max })]);

        public Task<string> AskBackAsync(string question) => ShapesRpc.Callback(RpcContext.Current!).AnswerAsync(question);
    }
}
