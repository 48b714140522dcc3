using System;
using System.IO;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>Where a user's code runs, and what may be done there: docs/guide/user-code.md.</summary>
public sealed class UserCodeTests : PipeTest
{
    [ThreadStatic]
    private static bool t_isEnding;

    public static TheoryData<bool, string> Endings
    {
        get
        {
            TheoryData<bool, string> all = [];
            foreach (string way in new[] { "cancel", "token", "dispose", "abort", "the other side", "listener" })
            {
                all.Add(true, way);
                all.Add(false, way);
            }

            return all;
        }
    }

    [Theory]
    [MemberData(nameof(Endings))]
    public async Task WhatWaitsDoesNotRunInWhoEndsIt(bool isClient, string way)
    {
        IpcPipeOptions options = new() { SendCapacity = 4096, ReceiveCapacity = 4096, WaitMode = WaitMode.Block };
        (IpcPipe client, IpcPipe server) = await PairAsync(options);
        (IpcPipe pipe, IpcPipe other) = isClient ? (client, server) : (server, client);
        using CancellationTokenSource cancel = new();
        Task<bool> read = RunsElsewhere(pipe.Input.ReadAsync(cancel.Token).AsTask());
        Task<bool> flush = RunsElsewhere(pipe.Output.WriteAsync(new byte[100_000], cancel.Token).AsTask());
        t_isEnding = true;
        switch (way)
        {
            case "cancel":
                pipe.Input.CancelPendingRead();
                pipe.Output.CancelPendingFlush();
                break;
            case "token":
#pragma warning disable CA1849 // it is what is tested
                cancel.Cancel();
#pragma warning restore CA1849
                break;
            case "dispose":
                pipe.Dispose();
                break;
            case "abort":
                pipe.Abort();
                break;
            case "the other side":
                other.Dispose();
                break;
            default:
                Listener.Dispose();
                break;
        }

        t_isEnding = false;
        Assert.True(await read.WaitAsync(Watchdog.Patience, Hang));
        Assert.True(await flush.WaitAsync(Watchdog.Patience, Hang));
    }

    /// <summary>The loop that looks after all pipes of a listener has gone on before.</summary>
    [Fact]
    public async Task CodeBehindAReadThatBlocksHoldsUpNoOtherPipe()
    {
        (IpcPipe client, IpcPipe server) = await PairAsync();
        (IpcPipe secondClient, IpcPipe secondServer) = await PairAsync();
        using ManualResetEventSlim blocks = new(), goesOn = new();
        Task blocked = BlockAsync();
        await client.Output.WriteAsync(new byte[1], Hang);
        Assert.True(blocks.Wait(Watchdog.Patience));
        Task<ReadResult> read = secondServer.Input.ReadAsync(Hang).AsTask();
        await secondClient.Output.WriteAsync(new byte[1], Hang);
        await read.WaitAsync(Watchdog.Patience, Hang);
        Task<IpcPipe> accepted = Listener.AcceptAsync(Hang).AsTask();
        using IpcPipe third = await IpcPipe.ConnectAsync("pipe", cancellationToken: Hang);
        (await accepted).Dispose();
        goesOn.Set();
        await blocked;

        async Task BlockAsync()
        {
            await server.Input.ReadAsync(Hang);
            blocks.Set();
            Assert.True(goesOn.Wait(Watchdog.Patience));
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task APipeMayBeDisposedFromAnywhere(bool isClient)
    {
        foreach (string place in new[] { "closed", "behind a read", "behind a flush" })
        {
            (IpcPipe client, IpcPipe server) = await PairAsync(new IpcPipeOptions { SendCapacity = 4096, ReceiveCapacity = 4096 });
            (IpcPipe pipe, IpcPipe other) = isClient ? (client, server) : (server, client);
            Task done = place switch
            {
                "closed" => Disposed(pipe),
                "behind a read" => DisposeBehindAsync(pipe.Input.ReadAsync(Hang).AsTask(), pipe),
                _ => DisposeBehindAsync(pipe.Output.WriteAsync(new byte[5000], Hang).AsTask(), pipe),
            };
            await other.Output.WriteAsync(new byte[1], Hang);
            if (place == "behind a flush")
                await other.Input.ReadAtLeastAsync(5000, Hang);
            other.Dispose();
            if (place == "closed")
                await ReadToItsEndAsync(pipe);
            await done.WaitAsync(Watchdog.Patience, Hang);
            Assert.False(pipe.IsOpen);
        }

        static Task Disposed(IpcPipe pipe)
        {
            TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
            pipe.Closed.Register(() =>
            {
                pipe.Dispose();
                done.SetResult();
            });
            return done.Task;
        }

        static async Task DisposeBehindAsync(Task waited, IpcPipe pipe)
        {
            await waited;
            pipe.Dispose();
        }
    }

    private static Task<bool> RunsElsewhere(Task task)
    {
        Assert.False(task.IsCompleted);
        return task.ContinueWith(
            static _ => !t_isEnding && Thread.CurrentThread.IsThreadPoolThread,
            Hang,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    private static async Task ReadToItsEndAsync(IpcPipe pipe)
    {
        try
        {
            for (; ; )
            {
                ReadResult read = await pipe.Input.ReadAsync(Hang);
                pipe.Input.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                    return;
            }
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException)
        {
            // the callback was faster
        }
    }
}
