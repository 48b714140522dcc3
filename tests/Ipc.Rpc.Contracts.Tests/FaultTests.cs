using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>A generated method that returns a task throws nothing itself: what goes wrong is in the task, also what is found out before there is one.</summary>
public sealed class FaultTests
{
    private const string HalfAPair = "\ud800";

    private static readonly Dictionary<string, Func<ITasks, string, CancellationToken, Task>> _shapes = new()
    {
        ["Task<T>"] = static (tasks, text, cancel) => tasks.ValueAsync(text, cancel),
        ["Task"] = static (tasks, text, cancel) => tasks.PlainAsync(text, cancel),
        ["ValueTask<T>"] = static (tasks, text, cancel) => tasks.PooledAsync(text, cancel).AsTask(),
        ["ValueTask"] = static (tasks, text, cancel) => tasks.PooledPlainAsync(text, cancel).AsTask(),
        ["upload"] = static (tasks, text, cancel) => tasks.UploadAsync(text, OwnServer.Items("x"), cancel),
        ["progress"] = static (tasks, text, cancel) => tasks.ProgressAsync(text, new Progress<int>(), cancel),
        ["one-way Task"] = static (tasks, text, cancel) => tasks.TellAsync(text, cancel),
        ["one-way ValueTask"] = static (tasks, text, cancel) => tasks.MentionAsync(text, cancel).AsTask(),
    };

    public static TheoryData<string> Shapes { get; } = new(_shapes.Keys);

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task OfAClosedClient(string shape)
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        ITasks tasks = server.Client.For<ITasks>();
        server.Client.Dispose();
        await Assert.ThrowsAnyAsync<ObjectDisposedException>(() => Begun(shape, tasks, "a", default));
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task OfWhatCannotBeWritten(string shape)
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => Begun(shape, TasksRpc.Client(server.Client), HalfAPair, default));
        Assert.IsType<ProtoException>(failure.InnerException);
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task OfACallThatWasCancelledBefore(string shape)
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        Task task = Begun(shape, TasksRpc.Client(server.Client), "a", new CancellationToken(canceled: true));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => task);
        Assert.True(task.IsCanceled);
    }

    [Theory]
    [MemberData(nameof(Shapes))]
    public async Task OfACallerThatThrows(string shape)
        => await Assert.ThrowsAsync<NotSupportedException>(() => Begun(shape, TasksRpc.Client(new ThrowingCaller()), "a", default));

    [Fact]
    public async Task OfAnArgumentThatIsNull()
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        ITasks tasks = TasksRpc.Client(server.Client);
        await Assert.ThrowsAsync<ArgumentNullException>(() => NotThrowing(() => tasks.UploadAsync("a", null!, default)));
        await Assert.ThrowsAsync<ArgumentNullException>(() => NotThrowing(() => tasks.ProgressAsync("a", null!, default)));
        RpcCallException failure = await Assert.ThrowsAsync<RpcCallException>(() => NotThrowing(() => tasks.EchoAsync(null!)));
        Assert.IsType<ProtoException>(failure.InnerException);
    }

    [Fact]
    public async Task AndWhatGoesWellIsTheAnswer()
    {
        var served = new Tasks();
        using var server = new OwnServer(TasksRpc.Service(served));
        foreach (string shape in _shapes.Keys)
            await Begun(shape, TasksRpc.Client(server.Client), "abc", default);
        Assert.Equal(3, await TasksRpc.Client(server.Client).ValueAsync("abc", default)); // calls of one thread are handled in order
        Assert.InRange(served.Calls, _shapes.Count - 1, _shapes.Count + 1);

        var job = new Job(new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(-7)), ("wheel", 4), [[1, 2], []]);
        Job back = await TasksRpc.Client(server.Client).EchoAsync(job);
        Assert.True(job.At.EqualsExact(back.At));
        Assert.Equal(job.Part, back.Part);
        Assert.Equal(job.Rows.Select(static row => row.Count), back.Rows.Select(static row => row.Count));
    }

    private static Task Begun(string shape, ITasks tasks, string text, CancellationToken cancel) => NotThrowing(() => _shapes[shape](tasks, text, cancel));

    /// <summary>The call's task. Where the call itself throws, the test fails by another exception than it expects.</summary>
    private static Task NotThrowing(Func<Task> call)
    {
        try
        {
            return call();
        }
        catch (Exception e)
        {
            throw new InvalidOperationException("thrown on the caller's thread: " + e.Message, e);
        }
    }

    private sealed class ThrowingCaller : RpcCaller
    {
        public override TResponse Call<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();

        public override ValueTask<TResponse> CallAsync<TRequest, TResponse>(RpcMethod<TRequest, TResponse> method, in TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();

        public override ValueTask<TResponse> CallAsync<TRequest, TResponse, TProgress>(RpcProgressMethod<TRequest, TResponse, TProgress> method, in TRequest request, IProgress<TProgress> progress, CancellationToken cancel = default) => throw new NotSupportedException();

        public override void Notify<TRequest>(RpcMethod<TRequest, RpcEmpty> method, in TRequest request) => throw new NotSupportedException();

        public override IAsyncEnumerable<TItem> Stream<TRequest, TItem>(RpcMethod<TRequest, TItem> method, TRequest request, CancellationToken cancel = default) => throw new NotSupportedException();

        public override ValueTask<TResponse> ClientStream<TRequest, TIn, TResponse>(RpcStreamMethod<TRequest, TIn, TResponse> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancel = default) => throw new NotSupportedException();

        public override IAsyncEnumerable<TOut> Duplex<TRequest, TIn, TOut>(RpcStreamMethod<TRequest, TIn, TOut> method, TRequest request, IAsyncEnumerable<TIn> items, CancellationToken cancel = default) => throw new NotSupportedException();
    }
}
