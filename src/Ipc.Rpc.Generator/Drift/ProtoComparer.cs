using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Ipc.Rpc.Generator;

/// <summary>Compares the checked-in .proto with the one that the contract would have now.</summary>
/// <remarks>
/// Who still has the old one must understand what the new one writes, and the other way round. Names of fields, parameters and
/// values are not on the wire, but they are what a number means: two that have changed places look like two that have new names,
/// and only the author knows which it was. So another name is a break unless [IpcRenamed] says that the meaning is the same.
/// New fields, values, messages and methods are skipped or refused by old peers in the ways that docs/rpc-protocol.md gives.
/// All else is a break.
/// </remarks>
internal sealed class ProtoComparer
{
    private readonly IReadOnlyDictionary<string, List<string>> _renames;

    private ProtoComparer(IReadOnlyDictionary<string, List<string>> renames) => _renames = renames;

    /// <param name="before">What is checked in.</param>
    /// <param name="after">What the contract would have now.</param>
    /// <param name="renames">The old names that the contract gives, by the keys of ParseContext.Sites.</param>
    public static IReadOnlyList<Drift> Compare(ProtoFile before, ProtoFile after, IReadOnlyDictionary<string, List<string>> renames)
        => new ProtoComparer(renames).Compare(before, after);

    private List<Drift> Compare(ProtoFile before, ProtoFile after)
    {
        var drifts = new List<Drift>();
        if (before.Package != after.Package)
            drifts.Add(new Drift(DriftDiagnostics.ServiceRenamed, "", before.Package, after.Package));

        // From none to some: old clients refuse to be called, as they would refuse any method that they do not know.
        if (before.Callback != after.Callback && before.Callback.Length > 0)
            drifts.Add(new Drift(DriftDiagnostics.CallbackChanged, "", before.Callback, after.Callback.Length == 0 ? "nothing" : after.Callback));

        foreach (KeyValuePair<string, ProtoBlock> message in before.Messages)
        {
            if (after.Messages.TryGetValue(message.Key, out ProtoBlock? now))
                Message(message.Key, message.Value, now, drifts);
        }

        foreach (KeyValuePair<string, ProtoBlock> type in before.Enums)
        {
            if (after.Enums.TryGetValue(type.Key, out ProtoBlock? now))
                Enum(type.Key, type.Value, now, drifts);
        }

        foreach (KeyValuePair<string, ProtoRpc> method in before.Methods)
        {
            if (after.Methods.TryGetValue(method.Key, out ProtoRpc? now))
                Method(method.Key, method.Value, now, drifts);
            else
                drifts.Add(new Drift(DriftDiagnostics.MethodRemoved, "", method.Key));
        }

        return drifts;
    }

    private void Message(string name, ProtoBlock before, ProtoBlock after, List<Drift> drifts)
    {
        foreach (ProtoEntry old in before.Entries)
        {
            string shown = name + "." + old.Name;
            if (after.Numbered(old.Number) is { } same)
            {
                if (same.Type == old.Type)
                {
                    Name(name, old, same, after, drifts);
                    continue;
                }

                drifts.Add(same.Name == old.Name
                    ? new Drift(DriftDiagnostics.FieldTypeChanged, Key(name, old.Number), shown, old.Type, same.Type) { Number = Free(before, after) }
                    : new Drift(DriftDiagnostics.NumberReused, Key(name, old.Number), name + "." + same.Name, old.Number, old.Name, old.Type) { Number = Free(before, after) });
            }
            else if (after.Named(old.Name) is { } moved)
            {
                drifts.Add(new Drift(DriftDiagnostics.NumberChanged, Key(name, moved.Number), shown, old.Number, moved.Number) { Number = old.Number });
            }
            else if (!after.IsReserved(old.Number))
            {
                drifts.Add(new Drift(DriftDiagnostics.FieldRemoved, name, shown, old.Number) { Number = old.Number });
            }
        }

        Reserved(name, before, after, drifts, static (message, entry) => Key(message, entry.Number));
    }

    private void Enum(string name, ProtoBlock before, ProtoBlock after, List<Drift> drifts)
    {
        foreach (ProtoEntry old in before.Entries)
        {
            ProtoEntry? now = after.Named(old.Name);
            if (now is not null && now.Number != old.Number)
                drifts.Add(new Drift(DriftDiagnostics.EnumValueChanged, now.Name, old.Name, old.Number, "is " + Text(now.Number) + " now", "give it the number " + Text(old.Number) + " again") { Number = old.Number });
            else if (now is null && after.Numbered(old.Number) is null && !after.IsReserved(old.Number))
                drifts.Add(new Drift(DriftDiagnostics.EnumValueChanged, name, old.Name, old.Number, "is gone, and its number is not reserved", "reserve it by [IpcReserved(" + Text(old.Number) + ")]") { Number = old.Number });
            else if (now is null && after.Numbered(old.Number) is { } renamed)
                ValueName(name, old, renamed, before, after, drifts);
        }

        Reserved(name, before, after, drifts, static (_, entry) => entry.Name);
    }

    /// <summary>A number and a type that are as they were, and a name that is not: renamed, or another field in its place.</summary>
    private void Name(string message, ProtoEntry old, ProtoEntry now, ProtoBlock after, List<Drift> drifts)
    {
        string key = Key(message, old.Number);
        if (now.Name == old.Name || IsRenamed(key, old.Name, static (given, name) => given == name || ProtoNames.Snake(given) == name))
            return;

        drifts.Add(after.Named(old.Name) is { } moved
            ? new Drift(DriftDiagnostics.NumberChanged, Key(message, moved.Number), message + "." + old.Name, old.Number, moved.Number) { Number = old.Number }
            : new Drift(DriftDiagnostics.NameChanged, key, message + "." + now.Name, old.Number, old.Name) { OldName = old.Name });
    }

    /// <summary>A value whose number has another name now. One of several names of a number may go.</summary>
    private void ValueName(string name, ProtoEntry old, ProtoEntry now, ProtoBlock before, ProtoBlock after, List<Drift> drifts)
    {
        string prefix = ProtoNames.UpperSnake(name) + "_";
        List<ProtoEntry> all = after.Entries.FindAll(e => e.Number == old.Number);
        bool known = all.Exists(e => before.Entries.Exists(b => b.Number == e.Number && b.Name == e.Name))
            || all.Exists(e => IsRenamed(e.Name, old.Name, (given, value) => given == value || prefix + ProtoNames.UpperSnake(given) == value));
        if (!known)
            drifts.Add(new Drift(DriftDiagnostics.NameChanged, now.Name, now.Name, old.Number, old.Name) { OldName = old.Name });
    }

    private bool IsRenamed(string key, string old, System.Func<string, string, bool> same)
        => _renames.TryGetValue(key, out List<string>? names) && names.Exists(given => same(given, old));

    private static void Reserved(string name, ProtoBlock before, ProtoBlock after, List<Drift> drifts, System.Func<string, ProtoEntry, string> key)
    {
        foreach (ProtoEntry entry in after.Entries.Where(e => before.IsReserved(e.Number)))
            drifts.Add(new Drift(DriftDiagnostics.ReservedNumberUsed, key(name, entry), name, entry.Number, "is used by " + entry.Name, "give that another number") { Number = Free(before, after) });

        foreach ((int first, int last) in before.Reserved)
        {
            bool kept = after.Entries.Exists(e => first <= e.Number && e.Number <= last) || (long)last - first > 1000 || Enumerable.Range(first, last - first + 1).All(after.IsReserved);
            if (!kept)
                drifts.Add(new Drift(DriftDiagnostics.ReservedNumberUsed, name, name, Text(first) + (last == first ? "" : " to " + Text(last)), "is not reserved any more", "keep [IpcReserved]") { Number = first });
        }
    }

    private static void Method(string name, ProtoRpc before, ProtoRpc after, List<Drift> drifts)
    {
        if (before.Kind != after.Kind)
        {
            drifts.Add(new Drift(DriftDiagnostics.KindChanged, "rpc " + name, name, before.Kind, after.Kind));
            return;
        }

        void Part(string what, string old, string now)
        {
            // From nothing to something: an old peer sends no bytes, which read as defaults, and skips what it does not know.
            if (old != now && old != ProtoRpc.Empty && old.Length > 0)
                drifts.Add(new Drift(DriftDiagnostics.MessagesChanged, "rpc " + name, name, what, old, now.Length == 0 ? "nothing" : now));
        }

        Part("request", before.Request, after.Request);
        Part("caller's item", before.Input, after.Input);
        Part("progress", before.Progress, after.Progress);
        Part(after.IsOutputStream ? "item" : "response", before.Output, after.Output);
    }

    /// <summary>A number that no field of the message has or ever had.</summary>
    private static int Free(ProtoBlock before, ProtoBlock after)
    {
        int number = before.Entries.Concat(after.Entries).Select(static e => e.Number).DefaultIfEmpty(0).Max() + 1;
        while (before.IsReserved(number) || after.IsReserved(number) || number is >= 19000 and <= 19999)
            number++;
        return number;
    }

    private static string Key(string message, int number) => message + "." + Text(number);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
