using System;
using System.Globalization;

namespace Ipc.Peer.Drive;

/// <summary>One command: words, and options as key=value among them.</summary>
internal sealed class Line(string text)
{
    private readonly string[] _words = text.Split(' ');

    public int Id => Int(1);

    public string Word(int i) => i < _words.Length ? _words[i] : "";

    public int Int(int i) => (int)Long(i);

    public long Long(int i) => long.TryParse(Word(i), NumberStyles.Integer, CultureInfo.InvariantCulture, out long value) ? value : 0;

    /// <summary>The words from <paramref name="i"/> on as they were typed.</summary>
    public string Rest(int i) => i < _words.Length ? string.Join(' ', _words[i..]) : "";

    public string? Option(string key)
    {
        foreach (string word in _words)
        {
            if (word.Length > key.Length && word[key.Length] == '=' && word.StartsWith(key, StringComparison.Ordinal))
                return word[(key.Length + 1)..];
        }
        return null;
    }

    public long Number(string key, long otherwise) =>
        Option(key) is { } value ? long.Parse(value, CultureInfo.InvariantCulture) : otherwise;

    public bool Waits => Option("timeout") != null;

    /// <summary>timeout=MS; without it the call does not wait.</summary>
    public Deadline Deadline => Waits ? Deadline.After(Timeout) : Deadline.Now;

    public TimeSpan Timeout => TimeSpan.FromMilliseconds(Number("timeout", 0));

    public Lifetime Lifetime => Option("lifetime") switch
    {
        null => Lifetime.Default,
        "while-used" => Lifetime.WhileUsed,
        "until-empty" => Lifetime.UntilEmpty,
        _ => Lifetime.Persistent,
    };

    /// <summary>access=everybody, access=group:ID, access=users:ID,ID.</summary>
    public Access Access => Option("access") switch
    {
        null => Access.User,
        { } group when group.StartsWith("group:", StringComparison.Ordinal) => Access.Group(uint.Parse(group[6..], CultureInfo.InvariantCulture)),
        { } users when users.StartsWith("users:", StringComparison.Ordinal) =>
            Access.Users(Array.ConvertAll(users[6..].Split(','), static id => uint.Parse(id, CultureInfo.InvariantCulture))),
        _ => Access.Everybody,
    };

    public WaitMode WaitMode => Option("wait") switch
    {
        null or "adaptive" => WaitMode.Adaptive,
        "spin" => WaitMode.Spin,
        _ => WaitMode.Block,
    };
}
