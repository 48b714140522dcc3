using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;
using System.Threading;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Tool;

/// <summary>What <c>ipc gateway</c> is told by its file. The README has an example; a name that is not here is an error.</summary>
internal sealed partial record GatewayConfiguration
{
    private static readonly JsonSerializerOptions s_options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        ReadCommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
        RespectNullableAnnotations = true,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase, allowIntegerValues: false) },
    };

    /// <summary><c>amqp://USER:PASSWORD@HOST:PORT/VHOST</c>, without a service.</summary>
    public required string Broker { get; init; }

    /// <summary>Where the password is, if it is not in the address: the first line of a file.</summary>
    public string? PasswordFile { get; init; }

    public IReadOnlyList<Export> Exports { get; init; } = [];

    public IReadOnlyList<Import> Imports { get; init; } = [];

    public IReadOnlyList<Topic> Topics { get; init; } = [];

    /// <summary>What the file, and that of the password, said: the same text is the same gateway.</summary>
    [JsonIgnore]
    public string Text { get; private set; } = "";

    private string File { get; set; } = "";

    private string? Password { get; set; }

    /// <exception cref="ToolException">It says what makes no sense.</exception>
    /// <exception cref="IOException">It, or the file of the password, cannot be read.</exception>
    public static GatewayConfiguration Read(string file)
    {
        string text = System.IO.File.ReadAllText(file);
        try
        {
            GatewayConfiguration read = JsonSerializer.Deserialize<GatewayConfiguration>(text, s_options) ?? throw Wrong(file, "it is null.");
            read.File = file;
            read.Check();
            if (read.PasswordFile is { } path)
                read.Password = System.IO.File.ReadLines(Path.Combine(Path.GetDirectoryName(Path.GetFullPath(file))!, path)).FirstOrDefault() ?? "";
            read.Text = text + "\n" + read.Password;
            return read;
        }
        catch (JsonException error)
        {
            throw Wrong(file, ForPeople(error.Message));
        }
    }

    /// <summary>Without what is of .NET.</summary>
    public static string ForPeople(string text) => OfDotnet.Replace(text.Replace("could not be mapped to any .NET member", "is not known here", StringComparison.Ordinal), "");

    [GeneratedRegex(@" (contained in|for|on) type '[^']*'| \(Parameter '[^']*'\)| Consider updating its nullability annotation\.")]
    private static partial Regex OfDotnet { get; }

    /// <summary>The address of a service at the broker.</summary>
    /// <exception cref="ToolException">There are two passwords.</exception>
    public string AddressOf(string service)
    {
        string address = Broker.TrimEnd('/');
        if (address.Count(static c => c == '/') == 2)
            address += "/%2F";
        address += "/" + service;
        if (Password is null)
            return address;

        int host = address.IndexOf('@', StringComparison.Ordinal), user = address.IndexOf("//", StringComparison.Ordinal) + 2;
        if (host < 0 || address.AsSpan(user, host - user).Contains(':'))
            throw Wrong(File, "with \"passwordFile\" the address of the broker has a user, and no password.");
        return address[..host] + ":" + Uri.EscapeDataString(Password) + address[host..];
    }

    private static ToolException Wrong(string file, string why) => new(ExitCode.Usage, $"{file}: {why}");

    private void Check()
    {
        if (Exports.Contains(null!) || Imports.Contains(null!) || Topics.Contains(null!))
            throw Wrong(File, "an entry of a list is null.");
        string[] names = [.. Exports.Select(static one => one.Name), .. Imports.Select(static one => one.Name), .. Topics.Select(static one => one.Name)];
        if (names.Length == 0)
            throw Wrong(File, "it has no exports, no imports and no topics.");
        if (names.FirstOrDefault(static name => !RegionNames.IsPossible(name)) is { } impossible)
            throw Wrong(File, $"\"{impossible}\" is no name on a machine: it has only A-Z a-z 0-9 . _ -.");
        if (names.GroupBy(static name => name).FirstOrDefault(static group => group.Count() > 1) is { } twice)
            throw Wrong(File, $"the name \"{twice.Key}\" stands there twice.");
    }

    private static TimeSpan Seconds(double seconds, string name) => seconds is >= 0 and <= 1e6
        ? TimeSpan.FromSeconds(seconds)
        : throw new ArgumentException($"\"{name}\" is a number of seconds, not {seconds}.");

    /// <summary>A server of this machine that is published.</summary>
    public sealed record Export
    {
        public required string Name { get; init; }

        /// <summary>The name at the broker; the same, if it is left out.</summary>
        public string? Service { get; init; }

        public IReadOnlyList<string> Methods { get; init; } = [];

        public int Prefetch { get; init; } = new RabbitMqServerOptions().Prefetch;

        public int MaxStreams { get; init; } = new RabbitMqServerOptions().MaxStreams;

        public int MaxMessageBytes { get; init; } = new RabbitMqServerOptions().MaxMessageBytes;

        public bool ClassicQueues { get; init; }

        public double GraceSeconds { get; init; } = new RabbitMqExportOptions().Grace.TotalSeconds;

        /// <exception cref="ArgumentException">It makes no sense.</exception>
        public RabbitMqExport Start(string address, Action<RabbitMqGatewayChange> changed, Action<RabbitMqDeadLetter> buried)
        {
            RabbitMqExportOptions options = new() { Grace = Seconds(GraceSeconds, "graceSeconds"), Changed = changed };
            options.Broker = new RabbitMqServerOptions
            {
                Prefetch = Prefetch,
                MaxStreams = MaxStreams,
                MaxMessageBytes = MaxMessageBytes,
                QueueKind = ClassicQueues ? RabbitMqQueueKind.Classic : RabbitMqQueueKind.Quorum,
                DeadLettered = buried,
            };
            foreach (string method in Methods)
                options.Methods.Add(method);
            return RabbitMqExport.Start(Name, address, options);
        }
    }

    /// <summary>A topic that other machines have, too.</summary>
    public sealed record Topic
    {
        public required string Name { get; init; }

        /// <summary>The name at the broker; the same, if it is left out.</summary>
        [JsonPropertyName("topic")]
        public string? Remote { get; init; }

        public bool Sends { get; init; } = true;

        public bool Receives { get; init; } = true;

        public TopicPolicy Policy { get; init; } = new RabbitMqTopicOptions().Policy;

        public int BlockSize { get; init; } = new TopicOptions().BlockSize;

        public int BlockCount { get; init; } = new TopicOptions().BlockCount;

        public long LoanBudget { get; init; } = new TopicOptions().LoanBudget;

        public int MaxWaitingBytes { get; init; } = new RabbitMqTopicOptions().MaxWaitingBytes;

        /// <exception cref="ArgumentException">It makes no sense.</exception>
        public RabbitMqTopic Start(string address, Action<RabbitMqGatewayChange> changed) => RabbitMqTopic.Start(Name, address, new RabbitMqTopicOptions
        {
            Sends = Sends,
            Receives = Receives,
            Policy = Policy,
            MaxWaitingBytes = MaxWaitingBytes,
            Topic = new TopicOptions { BlockSize = BlockSize, BlockCount = BlockCount, LoanBudget = LoanBudget },
            Changed = changed,
        });
    }

    /// <summary>A service at the broker that is offered here.</summary>
    public sealed record Import
    {
        public required string Name { get; init; }

        /// <summary>The name at the broker; the same, if it is left out.</summary>
        public string? Service { get; init; }

        public IReadOnlyList<string> Methods { get; init; } = [];

        public double? CallTimeoutSeconds { get; init; }

        public bool WaitForReady { get; init; }

        /// <summary>How often a call is made that was not handled, or may be made again; 1 is once.</summary>
        public int Attempts { get; init; } = 1;

        public int MaxMessageBytes { get; init; } = new RabbitMqClientOptions().MaxMessageBytes;

        /// <summary>How many calls of its clients it hands on at once; 0 for any number.</summary>
        public int MaxConcurrentCalls { get; init; }

        /// <exception cref="ArgumentException">It makes no sense.</exception>
        public RabbitMqImport Start(string address, Action<RabbitMqGatewayChange> changed)
        {
            RabbitMqImportOptions options = new() { Changed = changed };
            options.Broker = new RabbitMqClientOptions
            {
                CallTimeout = CallTimeoutSeconds is { } seconds ? Seconds(seconds, "callTimeoutSeconds") : Timeout.InfiniteTimeSpan,
                WaitForReady = WaitForReady,
                Retry = Attempts switch
                {
                    > 1 => new RpcRetryPolicy { Attempts = Attempts },
                    1 => null,
                    _ => throw new ArgumentException($"\"attempts\" is 1 at least, not {Attempts}."),
                },
                MaxMessageBytes = MaxMessageBytes,
            };
            options.Local = new RpcServerOptions
            {
                MaxConcurrentCalls = MaxConcurrentCalls >= 0 ? MaxConcurrentCalls : throw new ArgumentException($"\"maxConcurrentCalls\" is not negative; 0 is any number."),
            };
            foreach (string method in Methods)
                options.Methods.Add(method);
            return RabbitMqImport.Start(Name, address, options);
        }
    }
}
