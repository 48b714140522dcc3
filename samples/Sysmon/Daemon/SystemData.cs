using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;

namespace Sysmon;

/// <summary>This machine as tables of ids x fields, read from /proc. Twin of ../cpp/system_data.hpp: the same ids, fields and numbers.</summary>
/// <remarks>
/// <code>
/// id          fields
/// cpu, cpu0   load (percent, since the reading before), user, system, idle (seconds since boot)
/// mem         total, free, available, used, cached, swap_total, swap_free (bytes)
/// disk:vda    reads, writes, read_bytes, written_bytes
/// net:lo      received_bytes, received_packets, sent_bytes, sent_packets
/// pid:123     name, state (texts), parent, threads, resident (bytes), cpu_seconds, uptime (seconds)
/// </code>
/// What /proc says is kept for a tenth of a second: a client that asks a hundred thousand times a second gets answers, not a
/// daemon that does nothing but read files.
/// </remarks>
internal sealed class SystemData
{
    private const double TicksPerSecond = 100; // the kernel's unit towards user space, on every architecture that .NET runs on
    private const double Sector = 512;         // whatever the device says: this is the unit of the file
    private static readonly TimeSpan s_maxAge = TimeSpan.FromMilliseconds(100);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Entry> _machine = [];   // all but processes
    private readonly Dictionary<string, Entry> _processes = []; // those that were asked for lately
    private readonly Dictionary<string, (double Busy, double Total)> _load = [];
    private long _refreshed;

    /// <summary>The ids of a kind that exist now. Any thread, like <see cref="Fill"/>.</summary>
    public IReadOnlyList<string> List(Kind kind)
    {
        lock (_lock)
        {
            Refresh();
            IEnumerable<string> ids = _machine.Keys.Where(id => kind == Kind.All || kind == KindOf(id)).Order(StringComparer.Ordinal);
            if (kind is Kind.All or Kind.Process)
                ids = ids.Concat(Processes().Order().Select(pid => "pid:" + pid));
            return ids.ToArray();
        }
    }

    /// <summary>A row per id, a cell per field; cells of what does not exist are empty.</summary>
    public Table Fill(List<string> ids, List<string> fields)
    {
        var table = new Table { Rows = new List<Row>(ids.Count) };
        lock (_lock)
        {
            Refresh();
            foreach (string id in ids)
            {
                Entry? found = Find(id);
                var row = new Row { Id = id, Cells = new List<Cell>(fields.Count) };
                foreach (string field in fields)
                    row.Cells.Add(found?.Cell(field) ?? Entry.Nothing);
                table.Rows.Add(row);
            }
        }
        return table;
    }

    private static Kind KindOf(string id) => id switch
    {
        "mem" => Kind.Memory,
        _ when id.StartsWith("cpu", StringComparison.Ordinal) => Kind.Processor,
        _ when id.StartsWith("disk:", StringComparison.Ordinal) => Kind.Disk,
        _ => Kind.Network,
    };

    private static IEnumerable<int> Processes()
    {
        foreach (string folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder.AsSpan()), NumberStyles.None, CultureInfo.InvariantCulture, out int pid))
                yield return pid;
        }
    }

    private void Refresh()
    {
        if (_refreshed != 0 && Stopwatch.GetElapsedTime(_refreshed) < s_maxAge)
            return;
        _refreshed = Stopwatch.GetTimestamp();
        _machine.Clear();
        ReadProcessors();
        ReadMemory();
        ReadDisks();
        ReadNetworks();
        foreach (string id in _processes.Where(each => each.Value.Age >= s_maxAge).Select(each => each.Key).ToArray())
            _processes.Remove(id);
    }

    private void ReadProcessors()
    {
        foreach (string line in File.ReadLines("/proc/stat"))
        {
            if (!line.StartsWith("cpu", StringComparison.Ordinal))
                break;
            string[] words = Words(line);
            double user = Number(words[1]) + Number(words[2]), system = Number(words[3]), idle = Number(words[4]);
            double busy = user + system + Number(words[6]) + Number(words[7]) + Number(words[8]);
            double total = busy + idle + Number(words[5]);
            (double Busy, double Total) before = _load.GetValueOrDefault(words[0]);
            _load[words[0]] = (busy, total);
            _machine[words[0]] = new Entry()
                .With("load", total > before.Total ? 100 * (busy - before.Busy) / (total - before.Total) : 0)
                .With("user", user / TicksPerSecond)
                .With("system", system / TicksPerSecond)
                .With("idle", idle / TicksPerSecond);
        }
    }

    private void ReadMemory()
    {
        var bytes = new Dictionary<string, double>();
        foreach (string line in File.ReadLines("/proc/meminfo"))
        {
            string[] words = Words(line);
            bytes[words[0]] = Number(words[1]) * 1024;
        }
        double total = bytes.GetValueOrDefault("MemTotal:"), available = bytes.GetValueOrDefault("MemAvailable:");
        _machine["mem"] = new Entry()
            .With("total", total)
            .With("free", bytes.GetValueOrDefault("MemFree:"))
            .With("available", available)
            .With("used", total - available)
            .With("cached", bytes.GetValueOrDefault("Cached:"))
            .With("swap_total", bytes.GetValueOrDefault("SwapTotal:"))
            .With("swap_free", bytes.GetValueOrDefault("SwapFree:"));
    }

    private void ReadDisks()
    {
        foreach (string line in File.ReadLines("/proc/diskstats"))
        {
            string[] words = Words(line);
            _machine["disk:" + words[2]] = new Entry()
                .With("reads", Number(words[3]))
                .With("writes", Number(words[7]))
                .With("read_bytes", Number(words[5]) * Sector)
                .With("written_bytes", Number(words[9]) * Sector);
        }
    }

    private void ReadNetworks()
    {
        foreach (string line in File.ReadLines("/proc/net/dev").Skip(2))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            string[] words = Words(line[(colon + 1)..]);
            _machine["net:" + line[..colon].Trim()] = new Entry()
                .With("received_bytes", Number(words[0]))
                .With("received_packets", Number(words[1]))
                .With("sent_bytes", Number(words[8]))
                .With("sent_packets", Number(words[9]));
        }
    }

    private Entry? Find(string id)
    {
        if (!id.StartsWith("pid:", StringComparison.Ordinal))
            return _machine.GetValueOrDefault(id);
        if (_processes.TryGetValue(id, out Entry? known) && known.Age < s_maxAge)
            return known;
        // No path of a caller's making reaches the file system.
        if (!int.TryParse(id.AsSpan(4), NumberStyles.None, CultureInfo.InvariantCulture, out int pid) || ReadProcess(pid) is not { } read)
            return null;
        return _processes[id] = read;
    }

    private static Entry? ReadProcess(int pid)
    {
        string line;
        try
        {
            line = File.ReadAllText($"/proc/{pid}/stat");
        }
        catch (IOException)
        {
            return null; // it has ended
        }
        int open = line.IndexOf('(', StringComparison.Ordinal), close = line.LastIndexOf(')'); // the name may hold both
        if (open < 0 || close < open)
            return null;
        string[] words = Words(line[(close + 1)..]); // from field 3 on
        double uptime = Number(Words(File.ReadAllText("/proc/uptime"))[0]);
        return new Entry()
            .With("name", line[(open + 1)..close])
            .With("state", words[0])
            .With("parent", Number(words[1]))
            .With("threads", Number(words[17]))
            .With("resident", Number(words[21]) * Environment.SystemPageSize)
            .With("cpu_seconds", (Number(words[11]) + Number(words[12])) / TicksPerSecond)
            .With("uptime", uptime - Number(words[19]) / TicksPerSecond);
    }

    private static string[] Words(string line) => line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);

    private static double Number(string word) => double.Parse(word, CultureInfo.InvariantCulture);

    /// <summary>The values of one id. The cells are shared by all tables that show them: nobody changes them.</summary>
    private sealed class Entry
    {
        public static readonly Cell Nothing = new();
        private readonly List<(string Field, Cell Cell)> _cells = [];
        private readonly long _read = Stopwatch.GetTimestamp();

        public TimeSpan Age => Stopwatch.GetElapsedTime(_read);

        public Entry With(string field, double number)
        {
            _cells.Add((field, new Cell { Number = number }));
            return this;
        }

        public Entry With(string field, string text)
        {
            _cells.Add((field, new Cell { Text = text }));
            return this;
        }

        public Cell? Cell(string field)
        {
            foreach ((string name, Cell cell) in _cells)
            {
                if (name == field)
                    return cell;
            }
            return null;
        }
    }
}
