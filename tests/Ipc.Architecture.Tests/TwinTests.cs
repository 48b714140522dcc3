using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using Xunit;

namespace Ipc.Architecture.Tests;

/// <summary>One meaning has one name in both languages: <c>TryClaim</c> here is <c>try_claim</c> there. What differs stands in a table, with its reason.</summary>
public sealed partial class TwinTests
{
    private const string Headers = "src/Ipc.Native/include/ipc";

    /// <summary>The C objects, and the C# types whose methods are their functions.</summary>
    private static readonly (string Prefix, Type[] Types)[] s_objects =
    [
        ("ipc_ring_writer", [typeof(RingWriter)]),
        ("ipc_ring_reader", [typeof(RingReader)]),
        ("ipc_ring", [typeof(RingWriter), typeof(RingReader)]), // where the first argument says which
        ("ipc_queue", [typeof(SharedQueue), typeof(QueueClaim), typeof(QueueMessage)]),
        ("ipc_topic_writer", [typeof(TopicWriter)]),
        ("ipc_topic_reader", [typeof(TopicReader)]),
        ("ipc_topic", [typeof(TopicWriter), typeof(TopicReader), typeof(TopicClaim)]),
        ("ipc_shared_mutex", [typeof(SharedMutex)]),
        ("ipc_shared_semaphore", [typeof(SharedSemaphore)]),
        ("ipc_shared_event", [typeof(SharedEvent)]),
        ("ipc_listener", [typeof(Listener)]),
        ("ipc_connection", [typeof(Connection)]),
    ];

    /// <summary>Functions, of all objects or of one, whose name in C# is another one.</summary>
    private static readonly Dictionary<string, string> s_otherNames = new()
    {
        ["close"] = "Dispose",                     // what .NET calls the end of an object
        ["participants"] = "GetParticipants",      // a property would not allocate
        ["peer_pid"] = "PeerProcessId",            // .NET's word
        ["peer_user"] = "PeerUserId",
        ["handled"] = "PeerHandledTo",             // likewise
        ["shutdown_at"] = "Shutdown",              // one of two in C#
        ["released"] = "ReleasedTo",               // Release is what releases
        ["close_code"] = "PeerCloseCode",          // a function of a connection that is closed; in C# it stands beside Shutdown's
        ["close_text"] = "PeerCloseText",
        ["set_context"] = "Context",               // a property
        ["next_change"] = "ParticipantChanged",    // an event
        ["queue_arm"] = "WaitToReceiveAsync",      // what becomes of a ready handle is in C# what becomes of an await
        ["ring_arm"] = "WaitToReadAsync",
        ["topic_arm"] = "WaitToReadAsync",
        ["queue_arm_room"] = "SendAsync",
        ["ring_arm_room"] = "WriteAsync",
        ["topic_arm_room"] = "PublishAsync",
        ["listener_arm"] = "NextAsync",
        ["named_listener_arm"] = "NextAsync",
        ["shared_mutex_arm"] = "AcquireAsync",
        ["shared_semaphore_arm"] = "AcquireAsync",
        ["shared_event_arm"] = "WaitAsync",
    };

    [GeneratedRegex(@"\b(?<name>ipc_[a-z0-9_]+)\(")]
    private static partial Regex Function { get; }

    [GeneratedRegex(@"\bIPC_(?<name>[A-Z_]+) = (?<value>-?\d+)")]
    private static partial Regex Constant { get; }

    [GeneratedRegex("""FAULT_POINT\("(?<name>[a-z_.]+)"\)""")]
    private static partial Regex CFault { get; }

    [GeneratedRegex("""public const string (?<constant>\w+) = "(?<name>[a-z_.]+)";""")]
    private static partial Regex CSharpFault { get; }

    [GeneratedRegex(@"typedef struct ipc_(?<name>[a-z_]+)_options \{(?<fields>.*?)\} ipc_", RegexOptions.Singleline)]
    private static partial Regex Options { get; }

    [GeneratedRegex(@"(?<name>[a-z_]+)(\[[^\]]*\])?;")]
    private static partial Regex Field { get; }

    [GeneratedRegex(@"/\*.*?\*/", RegexOptions.Singleline)]
    private static partial Regex Comment { get; }

    [Fact]
    public void TheStatusesAreTheSame()
    {
        Dictionary<string, int> c = Between(File.ReadAllText(Repository.PathOf($"{Headers}/base.h")), "typedef enum ipc_status", "} ipc_status");
        Dictionary<string, int> csharp = Enum.GetValues<IpcStatus>()
            .ToDictionary(static status => (status < 0 ? "E_" : "") + Snake(status.ToString()).ToUpperInvariant(), static status => (int)status);
        Assert.Equal(csharp.OrderBy(static one => one.Value), c.OrderBy(static one => one.Value));
    }

    [Theory]
    [InlineData("wait_mode", "WAIT_", typeof(WaitMode))]
    [InlineData("open_mode", "", typeof(OpenMode))]
    [InlineData("lifetime", "LIFETIME_", typeof(Lifetime))]
    public void TheChoicesAreTheSame(string name, string prefix, Type type)
    {
        Dictionary<string, int> c = Between(File.ReadAllText(Repository.PathOf($"{Headers}/base.h")), $"typedef enum ipc_{name}", $"}} ipc_{name}");
        Dictionary<string, int> csharp = Enum.GetNames(type)
            .ToDictionary(value => prefix + Snake(value).ToUpperInvariant(), value => Convert.ToInt32(Enum.Parse(type, value)));
        Assert.Equal(csharp.OrderBy(static one => one.Value), c.OrderBy(static one => one.Value));
    }

    [Fact]
    public void TheFaultPointsAreTheSameAndEachIsPassedSomewhereInBoth()
    {
        string[] c = [.. Repository.Files("src/Ipc.Native/src", ".c", ".h")
            .SelectMany(static file => CFault.Matches(File.ReadAllText(file)))
            .Select(static match => match.Groups["name"].Value).Distinct().Order(StringComparer.Ordinal)];
        IReadOnlyList<string> sources = Repository.Files("src/Ipc.Core", ".cs");
        string list = File.ReadAllText(sources.Single(static file => Path.GetFileName(file) == "FaultPoints.cs"));
        Match[] named = [.. CSharpFault.Matches(list).Cast<Match>()];
        string code = string.Concat(sources.Where(static file => Path.GetFileName(file) != "FaultPoints.cs").Select(File.ReadAllText));
        Assert.NotEmpty(c);
        Assert.Equal(c, named.Select(static match => match.Groups["name"].Value).Order(StringComparer.Ordinal));
        Assert.All(named, match => Assert.Contains("FaultPoints." + match.Groups["constant"].Value, code, StringComparison.Ordinal));
    }

    [Fact]
    public void EveryFunctionOfCIsAMethodInCSharp()
    {
        string[] known = [.. s_objects.Select(static one => one.Prefix)];
        List<string> missing = [];
        int checkedFunctions = 0;
        foreach (string function in FunctionsOfC())
        {
            (string? prefix, Type[] types) = s_objects.FirstOrDefault(one => function.StartsWith(one.Prefix + "_", StringComparison.Ordinal));
            if (prefix is null)
                continue;
            checkedFunctions++;
            string verb = function[(prefix.Length + 1)..];
            string name = s_otherNames.TryGetValue(function["ipc_".Length..], out string? other) || s_otherNames.TryGetValue(verb, out other) ? other : Pascal(verb);
            if (!types.Any(type => Members(type).Contains(name)))
                missing.Add($"{function} is {string.Join(" or ", types.Select(type => $"{type.Name}.{name}"))}, which there is not");
        }

        Assert.True(checkedFunctions > 80, $"only {checkedFunctions} functions were found");
        Assert.True(missing.Count == 0, string.Join('\n', missing));
    }

    [Fact]
    public void EveryOptionOfCIsOneInCSharp()
    {
        (string C, Type CSharp)[] pairs =
        [
            ("ring", typeof(RingOptions)), ("queue", typeof(QueueOptions)), ("topic", typeof(TopicOptions)), ("sync", typeof(SyncOptions)),
            ("listener", typeof(ListenerOptions)), ("connect", typeof(ConnectOptions)),
        ];
        Dictionary<string, string> others = new()
        {
            ["deadline"] = "OpenTimeout", // a time, as .NET has it; how long a new region's creator is waited for
            ["cancel"] = "",              // an argument
            ["hello_length"] = "",        // C# has it in one
            ["spin_ns"] = "SpinLimit",    // a TimeSpan
            ["policy"] = "",              // TopicReaderOptions has these three: a writer has no use for them
            ["join"] = "",
            ["ignore"] = "",
        };
        List<string> missing = [];
        Dictionary<string, string> fields = FieldsOfC();
        foreach ((string c, Type csharp) in pairs)
        {
            string[] members = Members(csharp);
            foreach (Match match in Field.Matches(fields[c]))
            {
                string field = match.Groups["name"].Value;
                string name = others.TryGetValue(field, out string? other) ? other : Pascal(field);
                if (name == "SpinLimit" && c is not ("queue" or "topic"))
                    continue; // C# has it there only
                if (name.Length != 0 && !members.Contains(name) && !(name == "OpenTimeout" && members.Contains("Deadline")) && !IsOfSubtype(csharp, name))
                    missing.Add($"ipc_{c}_options.{field} is {csharp.Name}.{name}, which there is not");
            }
        }

        Assert.True(missing.Count == 0, string.Join('\n', missing));
    }

    [Fact]
    public void EveryOptionOfCSharpIsOneInC()
    {
        (string C, Type[] CSharp)[] pairs =
        [
            ("ring", [typeof(RingOptions)]), ("queue", [typeof(QueueOptions)]), ("topic", [typeof(TopicOptions), typeof(TopicReaderOptions)]),
            ("sync", [typeof(SyncOptions), typeof(SemaphoreOptions), typeof(EventOptions)]), ("listener", [typeof(ListenerOptions)]), ("connect", [typeof(ConnectOptions)]),
        ];
        Dictionary<string, string> others = new()
        {
            ["OpenTimeout"] = "deadline", // a moment in C
            ["SpinLimit"] = "spin_ns",    // with its unit in C, which has no type for it
            ["IgnoreWriter"] = "ignore",  // a writer, by its type
        };
        Dictionary<string, string> fields = FieldsOfC();
        List<string> missing = [];
        foreach ((string c, Type[] types) in pairs)
        {
            string[] there = [.. Field.Matches(fields[c]).Select(static match => match.Groups["name"].Value)];
            foreach (PropertyInfo property in types.SelectMany(static type => type.GetProperties()).DistinctBy(static property => property.Name))
            {
                if (!there.Contains(others.TryGetValue(property.Name, out string? other) ? other : Snake(property.Name)))
                    missing.Add($"{property.DeclaringType!.Name}.{property.Name} is a field of ipc_{c}_options, which there is not");
            }
        }

        Assert.True(missing.Count == 0, string.Join('\n', missing));
    }

    private static Dictionary<string, string> FieldsOfC() => Repository.Files(Headers, ".h").SelectMany(static file => Options.Matches(File.ReadAllText(file)))
        .ToDictionary(static match => match.Groups["name"].Value, static match => Comment.Replace(match.Groups["fields"].Value, ""));

    private static bool IsOfSubtype(Type type, string member) =>
        type.Assembly.GetExportedTypes().Any(other => other.IsSubclassOf(type) && Members(other).Contains(member));

    private static IEnumerable<string> FunctionsOfC() => Repository.Files(Headers, ".h").Where(static file => !file.Contains("/rpc/", StringComparison.Ordinal))
        .SelectMany(static file => Function.Matches(Comment.Replace(File.ReadAllText(file), "")))
        .Select(static match => match.Groups["name"].Value).Distinct().Order(StringComparer.Ordinal);

    private static string[] Members(Type type) =>
    [
        .. type.GetMembers(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy).Select(static member => member.Name),
    ];

    private static Dictionary<string, int> Between(string text, string begin, string end)
    {
        int from = text.IndexOf(begin, StringComparison.Ordinal);
        int to = text.IndexOf(end, StringComparison.Ordinal);
        Assert.True(from >= 0 && to > from, $"{begin} ... {end} is not in the header");
        return Constant.Matches(text[from..to]).ToDictionary(
            static match => match.Groups["name"].Value,
            static match => int.Parse(match.Groups["value"].Value, System.Globalization.CultureInfo.InvariantCulture));
    }

    private static string Snake(string pascal) => string.Concat(pascal.Select(static (letter, i) =>
        i > 0 && char.IsUpper(letter) ? "_" + char.ToLowerInvariant(letter) : char.ToLowerInvariant(letter).ToString()));

    private static string Pascal(string snake) => string.Concat(snake.Split('_').Select(static word => char.ToUpperInvariant(word[0]) + word[1..]));
}
