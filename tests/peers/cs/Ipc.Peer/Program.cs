using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Ipc.Peer;

/// <summary>The other process of the tests, in C#. Its C twin (tests/peers/c/peer.c) takes the same verbs.</summary>
/// <remarks>The exit code is the verdict: 0 right, 1 wrong content, 2 usage, 3 an error, printed as <c>error STATUS text</c>.</remarks>
internal static class Program
{
    public const int Right = 0, Wrong = 1, BadUsage = 2, Failed = 3;

    private const string Usage =
        """
        usage: peer ring-write NAME COUNT SIZE|random [SEED] | ring-read NAME COUNT | ring-echo NAME_IN NAME_OUT COUNT |
          ring-hold NAME writer|reader | listen NAME | connect NAME COUNT SIZE | region-show NAME | drive | step TEST |
          storm KIND-ROLE NAME SIDE ID SEED | storm-named KILLS NATIVE-PEER|- SEED | storm-tcp KILLS NATIVE-PEER|- SEED |
          storm-named-client SERVER CLIENT NOTES SEED | storm-named-server SERVER CLIENT NOTES SEED | storm-named-end SERVER CLIENT |
          storm-named-begin SERVER CLIENT RING POOL |
          storm-tcp-entrance SERVER HOST PORT RING POOL | storm-tcp-exit NAME ADDRESS
          [--capacity N] [--wait adaptive|spin|block] [--open create|open|any] [--timeout MS]
        """;

    private static int Main(string[] arguments)
    {
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput()) { AutoFlush = true });
        Console.SetIn(new StreamReader(Console.OpenStandardInput())); // UTF-8, also where the console has something else
        List<string> words = new();
        PeerOptions options = new();
        for (int i = 0; i < arguments.Length; i++)
        {
            if (!arguments[i].StartsWith("--", StringComparison.Ordinal))
                words.Add(arguments[i]);
            else if (i + 1 >= arguments.Length || !options.Take(arguments[i], arguments[++i]))
                return ShowUsage();
        }

        try
        {
            return Run(words, options);
        }
        catch (IpcException error)
        {
            return Error(error.Status, error.Message);
        }
    }

    private static int Run(List<string> words, PeerOptions options) => words switch
    {
        ["ring-write", var name, var count, var size] => RingVerbs.Write(name, Number(count), size, 1, options),
        ["ring-write", var name, var count, var size, var seed] => RingVerbs.Write(name, Number(count), size, Number(seed), options),
        ["ring-read", var name, var count] => RingVerbs.Read(name, Number(count), options),
        ["ring-echo", var nameIn, var nameOut, var count] => RingVerbs.Echo(nameIn, nameOut, Number(count), options),
        ["ring-hold", var name, "writer"] => RingVerbs.Hold(RingWriter.Open(name, options.Ring)),
        ["ring-hold", var name, "reader"] => RingVerbs.Hold(RingReader.Open(name, options.Ring)),
        ["listen", var name] => ConnectionVerbs.Listen(name, options),
        ["connect", var name, var count, var size] => ConnectionVerbs.Connect(name, Number(count), size, options),
        ["region-show", var name] => RegionShow.Run(name),
        ["drive"] => Drive.Driver.Run(),
        ["step", var test] => StepVerbs.Run(test),
        ["storm", var what, var name, var side, var id, var seed] => Storm.StormWorker.Run(what, name, side, id, seed),
        ["storm-named", var kills, var native, var seed] => Storm.NamedStorm.Run(kills, native, seed, isTcp: false),
        ["storm-tcp", var kills, var native, var seed] => Storm.NamedStorm.Run(kills, native, seed, isTcp: true),
        ["storm-named-end", var server, var client] => Storm.NamedWorker.RunEnd(server, client),
        ["storm-named-begin", var server, var client, var ring, var pool] => Storm.NamedWorker.RunBegin(server, client, ring, pool),
        ["storm-tcp-entrance", var server, var host, var port, var ring, var pool] => Storm.TcpSides.RunEntrance(server, host, port, ring, pool),
        ["storm-tcp-exit", var name, var address] => Storm.TcpSides.RunExit(name, address),
        ["storm-named-client", var server, var client, var notes, var seed] => Storm.NamedWorker.RunClient(server, client, notes, seed),
        ["storm-named-server", var server, var client, var notes, var seed] => Storm.NamedWorker.RunServer(server, client, notes, seed),
        _ => ShowUsage(),
    };

    /// <summary>Prints a status by its name in ipc.h, so that a test need not know which peer it has.</summary>
    public static int Error(IpcStatus status, string text)
    {
        Console.WriteLine($"error {NameOf(status)} {text}");
        return Failed;
    }

    private static ulong Number(string word) => ulong.Parse(word, CultureInfo.InvariantCulture);

    private static int ShowUsage()
    {
        Console.Error.WriteLine(Usage);
        return BadUsage;
    }

    private static string NameOf(IpcStatus status) => status switch
    {
        IpcStatus.PeerClosed => "IPC_PEER_CLOSED",
        IpcStatus.PeerDied => "IPC_PEER_DIED",
        >= 0 => "IPC_" + status.ToString().ToUpperInvariant(),
        IpcStatus.InvalidName => "IPC_E_INVALID_NAME",
        IpcStatus.NotFound => "IPC_E_NOT_FOUND",
        IpcStatus.Exists => "IPC_E_EXISTS",
        IpcStatus.InUse => "IPC_E_IN_USE",
        IpcStatus.WrongKind => "IPC_E_WRONG_KIND",
        IpcStatus.WrongVersion => "IPC_E_WRONG_VERSION",
        IpcStatus.Corrupt => "IPC_E_CORRUPT",
        IpcStatus.AccessDenied => "IPC_E_ACCESS_DENIED",
        IpcStatus.NoSpace => "IPC_E_NO_SPACE",
        IpcStatus.TooLarge => "IPC_E_TOO_LARGE",
        IpcStatus.TableFull => "IPC_E_TABLE_FULL",
        IpcStatus.Refused => "IPC_E_REFUSED",
        IpcStatus.InvalidArgument => "IPC_E_INVALID_ARGUMENT",
        IpcStatus.InvalidState => "IPC_E_INVALID_STATE",
        IpcStatus.NoMemory => "IPC_E_NO_MEMORY",
        IpcStatus.WrongLifetime => "IPC_E_WRONG_LIFETIME",
        _ => "IPC_E_SYSTEM_ERROR",
    };
}
