using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Pipelines.Tests;

/// <summary>The other side is C++: ipc/pipe.hpp and ipc/pipe_stream.hpp, by the program tests/peers/cpp/pipe_peer.cpp, whose first lines say what its verbs do.</summary>
public sealed class CppTests : PipeTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task WhatGoesToAServerInCppComesBack(int seed)
    {
        Served("echo", "served");
        using IpcPipe client = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        Task sending = SendAsync(client, 3_000_000, seed, 100_000);
        Assert.Equal(3_000_000, await ReceiveAsync(client, seed));
        await sending;
    }

    [Fact]
    public void WhatAClientInCppSendsComesBack()
    {
        Peer(isServer: true, "echo", "served");
        Assert.Equal(0, Cpp(isServer: false, "send", "served", "3000000").WaitForExit());
        Assert.Equal(0, Cpp(isServer: false, "send", "served", "0").WaitForExit());
    }

    [Fact]
    public void CppMeetsCpp()
    {
        Served("echo", "served");
        Assert.Equal(0, Cpp(isServer: false, "send", "served", "3000000").WaitForExit());
    }

    [Fact]
    public async Task AClientInCppThatCannotGoOnSaysWhy()
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        OtherProcess client = Cpp(isServer: false, "abort", "pipe", "the source has failed: ä");
        using IpcPipe server = await accepting;
        Assert.Equal("half", await TextAsync(server, 4));
        IpcException error = await FailsAsync(IpcStatus.PeerClosed, async () => await server.Input.ReadAsync(Hang));
        Assert.Contains("the source has failed: ä", error.Message, StringComparison.Ordinal);
        await server.Output.CompleteAsync();
        Assert.Equal(0, client.WaitForExit());
    }

    /// <summary>How a stream from C# ends, as C++ sees it.</summary>
    [Theory]
    [InlineData("complete", "6 IPC_OK ")]
    [InlineData("fail", "6 IPC_PEER_CLOSED the source has failed: ä")]
    [InlineData("dispose", "6 IPC_OK ")]
    [InlineData("abort", "6 IPC_PEER_CLOSED enough")]
    public async Task AClientInCppLearnsHowTheStreamEnded(string how, string expected)
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        OtherProcess client = Cpp(isServer: false, "take", "pipe").WaitUntilReady();
        using IpcPipe server = await accepting;
        await server.Output.WriteAsync("six of"u8.ToArray(), Hang);
        switch (how)
        {
            case "complete":
                await server.Output.CompleteAsync();
                break;
            case "fail":
                await server.Output.CompleteAsync(new InvalidOperationException("the source has failed: ä"));
                break;
            case "dispose":
                server.Dispose();
                break;
            case "abort":
                server.Abort("enough");
                break;
        }

        Assert.Equal(expected, client.NextLine());
        Assert.Equal(0, client.WaitForExit());
    }

    [Fact]
    public async Task AServerInCppThatClosesInTheMiddleOfAWriteHasCutItsStreamOff()
    {
        Served("cut", "served");
        using IpcPipe client = await IpcPipe.ConnectAsync("served", cancellationToken: Hang);
        IpcException error = await FailsAsync(IpcStatus.PeerClosed, () => ReadToEndAsync(client));
        Assert.Contains("in the middle of a write", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OfAKilledClientInCppAllThatCameIsThereAndThenItIsKnown()
    {
        ValueTask<IpcPipe> accepting = Listener.AcceptAsync(Hang);
        OtherProcess client = Cpp(isServer: false, "send", "pipe", "100000000");
        using IpcPipe server = await accepting;
        ReadResult read = await server.Input.ReadAtLeastAsync(500_000, Hang);
        Assert.True(read.Buffer.Length >= 500_000);
        client.Kill();
        server.Input.AdvanceTo(read.Buffer.End);
        await FailsAsync(IpcStatus.PeerDied, () => ReadToEndAsync(server));
    }

    [Fact]
    public void OfAKilledServerItIsKnownInCpp()
    {
        OtherProcess server = Peer(isServer: true, "source", "served", "1");
        OtherProcess client = Cpp(isServer: false, "take", "served").WaitUntilReady();
        server.Kill();
        Assert.EndsWith(" IPC_PEER_DIED ", client.NextLine(), StringComparison.Ordinal);
        Assert.Equal(0, client.WaitForExit());
    }

    private OtherProcess Cpp(bool isServer, params string[] words) => Own(new OtherProcess(isServer, null, [PeerPrograms.Native("tests/native/pipe_peer"), .. words]));

    private void Served(params string[] words) => Cpp(isServer: true, words).WaitUntilReady();

    private static async Task<string> TextAsync(IpcPipe pipe, int length)
    {
        ReadResult read = await pipe.Input.ReadAtLeastAsync(length, Hang);
        string text = Encoding.UTF8.GetString(read.Buffer.ToArray());
        pipe.Input.AdvanceTo(read.Buffer.End);
        return text;
    }
}
