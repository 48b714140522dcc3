using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Chat;

/// <summary>Everything that was said in a room, in a file: a line each, with tabs between its fields.</summary>
internal sealed class RoomLog : IDisposable
{
    private readonly FileStream _file;
    private readonly List<byte[]> _told = [];
    private readonly Dictionary<string, string> _seats = [], _names = [];
    private readonly Dictionary<Guid, long> _last = [];

    public RoomLog(string path)
    {
        byte[] bytes = File.Exists(path) ? File.ReadAllBytes(path) : [];
        int whole = Array.LastIndexOf(bytes, (byte)'\n') + 1; // behind it: killed in the middle of a line
        string[] lines = Encoding.UTF8.GetString(bytes, 0, whole).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        foreach (string line in lines)
        {
            string[] fields = line.Split('\t');
            Remember(new Line(fields[0], Guid.Parse(fields[1]), long.Parse(fields[2]), fields[3], fields[4]));
        }

        _file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.Read, bufferSize: 0);
        _file.SetLength(whole);
        _file.Seek(0, SeekOrigin.End);
    }

    public int Count => _told.Count;

    /// <summary>What people are told of line <paramref name="index"/>.</summary>
    public byte[] Told(int index) => _told[index];

    /// <summary>Where the person of that name sits; null: nobody has had it.</summary>
    public string? SeatOf(string name) => _seats.GetValueOrDefault(name);

    /// <summary>The last name of who sits there; null: nobody has.</summary>
    public string? NameOf(string seat) => _names.GetValueOrDefault(seat);

    /// <summary>The number of the last message of a conversation that is logged.</summary>
    public long LastOf(Guid conversation) => _last.GetValueOrDefault(conversation);

    public void Add(Line line)
    {
        line = line with { Text = OneLine(line.Text) };
        string text = $"{line.Seat}\t{line.Conversation}\t{line.Number}\t{line.Name}\t{line.Text}\n";
        _file.Write(Encoding.UTF8.GetBytes(text)); // the system's from here on: a kill does not undo it
        Remember(line);
    }

    /// <summary>As it can stand in the log.</summary>
    public static string OneLine(string text) => text.Replace('\t', ' ').Replace('\n', ' ');

    public void Dispose() => _file.Dispose();

    private void Remember(Line line)
    {
        _told.Add(Encoding.UTF8.GetBytes($"{line.Name}: {line.Text}"));
        _seats.TryAdd(line.Name, line.Seat);
        _names[line.Seat] = line.Name;
        if (line.Number > 0)
            _last[line.Conversation] = line.Number;
    }
}
