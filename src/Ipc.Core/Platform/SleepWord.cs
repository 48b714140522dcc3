namespace Ipc;

/// <summary>One of the words that <see cref="Os.SleepOnAny"/> sleeps on, while it is what was expected.</summary>
internal readonly unsafe struct SleepWord
{
    public SleepWord(uint* word, ulong* asleep, uint expected)
    {
        Word = word;
        Asleep = asleep;
        Expected = expected;
    }

    public uint* Word { get; }

    public ulong* Asleep { get; }

    public uint Expected { get; }
}
