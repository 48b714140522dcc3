using System;
using System.Globalization;

namespace Ipc.Tool;

/// <summary>Numbers and times as people read them.</summary>
internal static class Human
{
    public static string Lifetime(Lifetime? lifetime) => lifetime switch
    {
        Ipc.Lifetime.WhileUsed => "while used",
        Ipc.Lifetime.UntilEmpty => "until empty",
        Ipc.Lifetime.Persistent => "persistent",
        null => "",
        _ => string.Create(CultureInfo.InvariantCulture, $"unknown ({(uint)lifetime})"), // of a damaged region
    };

    private static readonly string[] s_units = ["B", "KiB", "MiB", "GiB", "TiB"];

    public static string Bytes(double bytes)
    {
        int unit = 0;
        while (Math.Abs(bytes) >= 1024 && unit < s_units.Length - 1)
        {
            bytes /= 1024;
            unit++;
        }

        return Three(bytes) + " " + s_units[unit];
    }

    public static string Count(double count) => Math.Abs(count) switch
    {
        >= 1e9 => Three(count / 1e9) + " G",
        >= 1e6 => Three(count / 1e6) + " M",
        >= 1e4 => Three(count / 1e3) + " k",
        _ => Three(count),
    };

    /// <summary>1 problem, 2 problems.</summary>
    public static string Some(int count, string what) => string.Create(CultureInfo.InvariantCulture, $"{count} {what}{(count == 1 ? "" : "s")}");

    /// <summary>A rate of bytes or of anything else; nothing for none.</summary>
    public static string Rate(double perSecond, string unit) =>
        perSecond < 0.05 ? "" : (unit == "bytes" ? Bytes(perSecond) : Count(perSecond)) + "/s";

    public static string Ago(DateTime? since, DateTime now)
    {
        if (since is null)
            return "";
        TimeSpan age = now - since.Value;
        return age.TotalSeconds switch
        {
            < 0 => "in the future",
            < 100 => Whole(age.TotalSeconds) + " s ago",
            < 100 * 60 => Whole(age.TotalMinutes) + " min ago",
            < 48 * 3600 => Whole(age.TotalHours) + " h ago",
            _ => Whole(age.TotalDays) + " days ago",
        };
    }

    public static string Time(DateTime? time) => time?.ToString("yyyy-MM-dd HH:mm:ss'Z'", CultureInfo.InvariantCulture) ?? "";

    public static string Duration(double nanoseconds) => nanoseconds switch
    {
        >= 1e9 => Three(nanoseconds / 1e9) + " s",
        >= 1e6 => Three(nanoseconds / 1e6) + " ms",
        >= 1e4 => Three(nanoseconds / 1e3) + " us",
        _ => Three(nanoseconds) + " ns",
    };

    private static string Whole(double value) => Math.Floor(value).ToString(CultureInfo.InvariantCulture);

    private static string Three(double value)
    {
        string format = Math.Abs(value) >= 100 || value == Math.Floor(value) ? "0" : Math.Abs(value) >= 10 ? "0.#" : "0.##";
        return value.ToString(format, CultureInfo.InvariantCulture);
    }
}
