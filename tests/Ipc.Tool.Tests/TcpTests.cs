using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Tool.Tests;

/// <summary><c>ipc entrance</c> and <c>ipc exit</c>: a server there has a name here while both run, and they end when they are told to.</summary>
public sealed class TcpTests : IDisposable
{
    private readonly RegionDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AServerThereHasANameHere(bool isSecret)
    {
        string token = Path.Combine(_directory.Path, ".token");
        await File.WriteAllTextAsync(token, "open sesame\n", TestContext.Current.CancellationToken);
        string[] options = isSecret ? ["--token-file", token] : [];
        int port = FreePort();
        string? before = Environment.GetEnvironmentVariable("IPC_DIR");
        Environment.SetEnvironmentVariable("IPC_DIR", _directory.Path);
        try
        {
            using Listener server = Listener.Open("there");
            bool isOver = false;
            Task<ToolRun> entrance = Task.Run(() => ToolRun.Interrupted(() => isOver, _directory, ["entrance", "there", "--listen", $"127.0.0.1:{port}", .. options]), TestContext.Current.CancellationToken);
            Task<ToolRun> exit = Task.Run(() => ToolRun.Interrupted(() => isOver, _directory, ["exit", "here", $"tcp:127.0.0.1:{port}/there", .. options]), TestContext.Current.CancellationToken);
            Task accepting = Task.Run(
                () =>
                {
                    Assert.Equal(IpcStatus.Ok, server.Next(out ListenerEvent asked, Deadline.After(Watchdog.Patience)));
                    asked.Connection.Accept();
                    Assert.Equal(IpcStatus.Ok, asked.Connection.Writer.Write("welcome"u8, 1, Deadline.After(Watchdog.Patience)));
                    server.Return(asked.Connection);
                },
                TestContext.Current.CancellationToken);
            Connection? client = null;
            Watchdog.Until(() => TryConnect(out client), "the way there");
            Assert.Equal(IpcStatus.Ok, client!.Reader.Read(out RingRecord record, Deadline.After(Watchdog.Patience)));
            Assert.Equal("welcome", Encoding.UTF8.GetString(record.Payload));
            client.Reader.Release();
            client.Dispose();
            await accepting;
            isOver = true;
            Assert.Equal((0, $"listening at 127.0.0.1:{port} for there\n", ""), Said(await entrance));
            Assert.Equal((0, $"here leads to tcp:127.0.0.1:{port}/there\n", ""), Said(await exit));
        }
        finally
        {
            Environment.SetEnvironmentVariable("IPC_DIR", before);
        }

        Assert.Empty(_directory.FilesOf("here"));
    }

    private static (int, string, string) Said(ToolRun run) => (run.ExitCode, run.Out, run.Error);

    private static bool TryConnect(out Connection? client)
    {
        client = null;
        try
        {
            return Connection.TryConnect("here", out client);
        }
        catch (IpcException e) when (e.Status == IpcStatus.PeerClosed) // the exit is there, the entrance is not yet
        {
            return false;
        }
    }

    [Fact]
    public void WhatIsNoAddressIsSaid()
    {
        ToolRun run = ToolRun.In(_directory, "exit", "here", "daemon7:5000");
        Assert.Equal(2, run.ExitCode);
        Assert.Contains("tcp:HOST:PORT/NAME", run.Error, StringComparison.Ordinal);
        run = ToolRun.In(_directory, "entrance", "there", "--listen", "somewhere");
        Assert.Equal(2, run.ExitCode);
        Assert.Contains("--listen", run.Error, StringComparison.Ordinal);
        run = ToolRun.In(_directory, "entrance", "there", "--trust", "/nowhere.pem");
        Assert.Equal(2, run.ExitCode);
        Assert.Contains("--certificate", run.Error, StringComparison.Ordinal);
    }

    private static int FreePort()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
