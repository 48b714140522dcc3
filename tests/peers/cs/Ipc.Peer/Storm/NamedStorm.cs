using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Ipc.Peer.Storm;

/// <summary>The parent of a named connection's storm: two sides that are killed, one or both, and started again in either language, until it has had enough; then all that was sent has to arrive.</summary>
/// <remarks>The sides note what they do in a file each. A side that found something wrong has said so on its standard error, and counted it there. Over TCP there are two more:
/// the entrance and the exit, which are killed as often; and on two machines the network is cut for a while, often while one of them is killed.</remarks>
internal sealed class NamedStorm : IDisposable
{
    private const string Server = "storm", Client = "sender", Exit = "exit";
    private const int EntranceSide = 2, ExitSide = 3;

    private static readonly string[] s_names = ["the server", "the client", "the entrance", "the exit"];

    // From the smallest ring, which is full nearly all the time, to one that seldom is; without a pool, with one of a few messages, with a large one.
    private static readonly string[] s_rings = ["4096", "16384", "65536"], s_pools = ["0", "131072", "4194304"];

    private readonly Random _random;
    private readonly string _native;
    private readonly string _folder;
    private readonly string[] _paths;
    private readonly NamedNotes[] _notes;
    private readonly int _port; // 0: there is no TCP
    private readonly string _ring; // bytes of each, on both machines; and likewise:
    private readonly string _pool;
    private readonly Process?[] _sides;
    private readonly StormMachines? _machines;
    private int _cuts;

    private NamedStorm(string native, int seed, bool isTcp)
    {
        _port = isTcp ? FreePort() : 0;
        _sides = new Process?[isTcp ? 4 : 2];
        _native = native;
        _random = new Random(seed);
        _ring = _random.GetItems(s_rings, 1)[0];
        _pool = _random.GetItems(s_pools, 1)[0];
        _folder = Environment.GetEnvironmentVariable("IPC_DIR")!;
        _machines = isTcp ? StormMachines.Find(_folder) : null;
        _paths = [Path.Combine(_folder, ".server-notes"), Path.Combine(_folder, ".client-notes")];
        foreach (string path in _paths)
            File.WriteAllBytes(path, new byte[NamedNotes.Size]);
        _notes = [new NamedNotes(_paths[0]), new NamedNotes(_paths[1])];
    }

    /// <param name="kills">How often.</param>
    /// <param name="native">The C peer; <c>-</c>: C# alone.</param>
    /// <param name="seed">0: by the clock.</param>
    /// <param name="isTcp">With an exit and an entrance in between.</param>
    public static int Run(string kills, string native, string seed, bool isTcp)
    {
        int chosen = int.Parse(seed, CultureInfo.InvariantCulture);
        if (chosen == 0)
            chosen = Environment.TickCount & 0xFFFFFF;
        Console.WriteLine($"seed {chosen}");
        using NamedStorm storm = new(native, chosen, isTcp);
        return storm.Run(int.Parse(kills, CultureInfo.InvariantCulture));
    }

    public void Dispose()
    {
        foreach (Process? side in _sides)
        {
            if (side is { HasExited: false })
                side.Kill();
            side?.Dispose();
        }

        foreach (NamedNotes notes in _notes)
            notes.Dispose();
        foreach (string path in _paths)
            File.Delete(path);
    }

    private int Run(int kills)
    {
        Console.WriteLine($"rings of {_ring} bytes, pools of {_pool}");
        int failures = Begin();
        for (int side = 0; side < _sides.Length; side++)
            Start(side);
        for (int killed = 0; killed < kills;)
        {
            Thread.Sleep(_random.Next(1, 60));
            if (_random.Next(3) != 0)
                WaitForProgress();
            bool isCut = _machines is not null && _random.Next(3) == 0;
            if (isCut)
            {
                _cuts++;
                _machines!.Unplug();
                Thread.Sleep(_random.Next(2) == 0 ? _random.Next(1, 100) : _random.Next(100, 2500)); // up to when it is noticed, and longer
                if (_random.Next(3) != 0)
                {
                    _machines.Plug();
                    killed++;
                    continue;
                }
            }

            int which = _random.Next(5);
            bool both = which == 0;
            int first = _port == 0 ? which % 2 : _random.Next(4);
            failures += Kill(first);
            killed++;
            if (both)
            {
                int second = (first + (_port == 0 ? 1 : _random.Next(1, 4))) % _sides.Length;
                failures += Kill(second);
                killed++;
                bool swapped = _random.Next(2) == 0;
                Start(swapped ? second : first);
                Start(swapped ? first : second);
            }
            else
            {
                if (_random.Next(3) == 0)
                    Thread.Sleep(_random.Next(1, 30)); // the other one is alone
                Start(first);
            }

            if (isCut)
                _machines!.Plug();
        }

        bool arrived = Drain();
        ulong lost = Sum(NamedNotes.Lost) + (ulong)failures;
        for (int side = 0; side < 2; side++)
            lost += _notes[side][NamedNotes.Tried] > _notes[1 - side][NamedNotes.Handled] && !arrived
                ? _notes[side][NamedNotes.Sent] - Math.Min(_notes[side][NamedNotes.Sent], _notes[1 - side][NamedNotes.Handled])
                : 0;
        if (!arrived && lost == 0)
            lost = 1;
        foreach (NamedNotes notes in _notes)
            notes[NamedNotes.Flag] = NamedNotes.End;
        for (int side = 0; side < _sides.Length; side++)
        {
            if (side is EntranceSide or ExitSide)
                failures += Kill(side); // they would run for ever
            else if (!_sides[side]!.WaitForExit(30_000) || _sides[side]!.ExitCode != 0)
                lost++;
        }

        int left = End(Server) + (_port != 0 ? End(Exit) : 0);
        left += Directory.EnumerateFiles(_folder, "*", SearchOption.AllDirectories).Count(static path => !path.EndsWith("-notes", StringComparison.Ordinal));
        ulong repeated = Sum(NamedNotes.Repeated), wrong = Sum(NamedNotes.Wrong);
        if (_machines is not null)
            Console.WriteLine($"{_cuts} of these times the cable was out");
        Console.WriteLine(
            $"kills {kills}, acknowledged {Sum(NamedNotes.Acknowledged)}, lost {lost}, repeated unflagged {repeated}, out of order {wrong}, left behind {left}");
        return lost + repeated + wrong + (ulong)left == 0 ? 0 : 1;
    }

    private ulong Sum(int word) => _notes[0][word] + _notes[1][word];

    private static int FreePort()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private void Start(int side)
    {
        string port = _port.ToString(CultureInfo.InvariantCulture), host = _machines is null ? IPAddress.Loopback.ToString() : StormMachines.Address;
        string[] arguments = side switch
        {
            EntranceSide => ["storm-tcp-entrance", Server, host, port, _ring, _pool],
            ExitSide => ["storm-tcp-exit", Exit, $"tcp:{host}:{port}/{Server}"],
            _ =>
            [
                side == 0 ? "storm-named-server" : "storm-named-client", side == 0 || _port == 0 ? Server : Exit, Client, _paths[side],
                _random.Next(1, int.MaxValue).ToString(CultureInfo.InvariantCulture),
            ],
        };
        bool isNative = side < EntranceSide && _native != "-" && _random.Next(2) == 0;
        _sides[side] = Process.Start(Command(side is 0 or EntranceSide ? 0 : 1, isNative, arguments));
    }

    private ProcessStartInfo Command(int machine, bool isNative, string[] arguments)
    {
        string program = isNative ? _native : Environment.ProcessPath!;
        if (!isNative && Path.GetFileNameWithoutExtension(program) == "dotnet")
            arguments = [Environment.GetCommandLineArgs()[0], .. arguments];
        return _machines?.On(machine, program, arguments) ?? new ProcessStartInfo(program, arguments);
    }

    /// <summary>The client's conversation, which every client then finds there.</summary>
    private int Begin()
    {
        string server = _port == 0 ? Server : Exit;
        using Process begin = Process.Start(Command(machine: 1, isNative: false, ["storm-named-begin", server, Client, _ring, _pool]))!;
        begin.WaitForExit();
        return begin.ExitCode;
    }

    /// <summary>Removes what there is of the conversation and of who was killed, on its machine. How much could not be.</summary>
    private int End(string server)
    {
        using Process end = Process.Start(Command(server == Server ? 0 : 1, isNative: false, ["storm-named-end", server, Client]))!;
        end.WaitForExit();
        return end.ExitCode;
    }

    /// <summary>1: it had ended by itself, which no side does.</summary>
    private int Kill(int side)
    {
        Process process = _sides[side]!;
        bool ended = process.HasExited;
        if (ended)
            Console.Error.WriteLine($"{s_names[side]} ended by itself with {process.ExitCode}");
        else
            process.Kill();
        process.WaitForExit();
        process.Dispose();
        _sides[side] = null;
        return ended ? 1 : 0;
    }

    /// <summary>A life that only begins and ends says little.</summary>
    private void WaitForProgress()
    {
        ulong handled = Sum(NamedNotes.Handled);
        Stopwatch watch = Stopwatch.StartNew();
        while (Sum(NamedNotes.Handled) < handled + 20 && watch.Elapsed < TimeSpan.FromSeconds(20))
            Thread.Sleep(1);
    }

    private bool Drain()
    {
        foreach (NamedNotes notes in _notes)
            notes[NamedNotes.Flag] = NamedNotes.Drain;
        Stopwatch watch = Stopwatch.StartNew();
        while (watch.Elapsed < TimeSpan.FromSeconds(60))
        {
            bool arrived = true;
            for (int side = 0; side < 2; side++)
                arrived &= _notes[1 - side][NamedNotes.Acknowledged] >= _notes[side][NamedNotes.Sent];
            if (arrived)
                return true;
            Thread.Sleep(5);
        }

        for (int side = 0; side < 2; side++)
            Console.Error.WriteLine($"of {_notes[side][NamedNotes.Sent]} messages {_notes[1 - side][NamedNotes.Acknowledged]} were acknowledged");
        return false;
    }
}
