using System;
using System.Globalization;

namespace Ipc.Matrix.Cells;

/// <summary>How long a cell is measured.</summary>
/// <param name="Rounds">Rounds that count.</param>
/// <param name="RoundTime">A round repeats its shape's number of messages until it takes this long.</param>
/// <param name="WarmUp">Rounds that do not count, before: code is compiled, memory touched.</param>
internal sealed record Plan(int Rounds, TimeSpan RoundTime, TimeSpan WarmUp)
{
    private const int MostRepeated = 5; // a round that takes longer than so many times RoundTime is cut

    public static Plan Quick { get; } = new(5, TimeSpan.FromMilliseconds(60), TimeSpan.FromMilliseconds(250));

    public static Plan Full { get; } = new(15, TimeSpan.FromMilliseconds(60), TimeSpan.FromMilliseconds(300));

    public static Plan Parse(string text)
    {
        string[] parts = text.Split(',');
        return parts.Length == 3
            ? new Plan(int.Parse(parts[0], CultureInfo.InvariantCulture), Milliseconds(parts[1]), Milliseconds(parts[2]))
            : throw new FormatException($"'{text}' is not rounds,milliseconds,milliseconds.");
    }

    /// <summary>Messages in a round of this cell, whole batches, where each takes so many seconds.</summary>
    public int Messages(Work work, double secondsEach)
    {
        double fit = RoundTime.TotalSeconds / secondsEach;
        double wanted = Math.Min(Math.Max(fit, work.Shape.Count), Math.Max(3, MostRepeated * fit));
        return (int)Math.Clamp(Math.Ceiling(wanted / work.Batch) * work.Batch, work.Batch, 10_000_000);
    }

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Rounds},{RoundTime.TotalMilliseconds:0},{WarmUp.TotalMilliseconds:0}");

    private static TimeSpan Milliseconds(string text) => TimeSpan.FromMilliseconds(double.Parse(text, CultureInfo.InvariantCulture));
}
