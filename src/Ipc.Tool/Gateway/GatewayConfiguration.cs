using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Threading;
using Ipc.Rpc;
using Ipc.Rpc.RabbitMq;

namespace Ipc.Tool;

/// <summary>What <c>ipc gateway</c> is told by its file. The README has an example; a name that is not here is an error.</summary>
internal sealed record GatewayConfiguration
{
    private static readonly JsonSerializerOptions s_options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        ReadCommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
        RespectNullableAnnotations = true,
    };

    /// <summary><c>amqp://USER:PASSWORD@HOST:PORT/VHOST</c>, without a service.</summary>
    public required string Broker { get; init; }

    /// <summary>Where the password is, if it is not in the address: the first line of a file.</summary>
    public string? PasswordFile { get; init; }

    public IReadOnlyList<Export> Exports { get; init; } = [];

    public IReadOnlyList<Import> Imports { get; init; } = [];

    /// <exception cref="ToolException">It cannot be read, or says what makes no sense.</exception>
    public static GatewayConfiguration Parse(string text, string file)
    {
        try
        {
            GatewayConfiguration read = JsonSerializer.Deserialize<GatewayConfiguration>(text, s_options) ?? throw Wrong(file, "it is null.");
            read.Check(file);
            return read;
        }
        catch (JsonException error)
        {
            throw Wrong(file, error.Message);
        }
    }

    /// <summary>The address of a service at the broker.</summary>
    /// <exception cref="ToolException">There is no such file of a password, or two passwords.</exception>
    public string AddressOf(string service, string file)
    {
        string address = Broker.TrimEnd('/');
        if (address.Count(static c => c == '/') == 2)
            address += "/%2F";
        address += "/" + service;
        if (PasswordFile is null)
            return address;

        string password = File.ReadLines(Path.Combine(Path.GetDirectoryName(Path.GetFullPath(file))!, PasswordFile)).FirstOrDefault() ?? "";
        int host = address.IndexOf('@', StringComparison.Ordinal), user = address.IndexOf("//", StringComparison.Ordinal) + 2;
        if (host < 0 || address.AsSpan(user, host - user).Contains(':'))
            throw Wrong(file, "with \"passwordFile\" the address of the broker has a user, and no password.");
        return address[..host] + ":" + Uri.EscapeDataString(password) + address[host..];
    }

    private static ToolException Wrong(string file, string why) => new(ExitCode.Usage, $"{file}: {why}");

    private void Check(string file)
    {
        if (Exports.Count + Imports.Count == 0)
            throw Wrong(file, "it has no exports and no imports.");
        foreach (string name in Exports.Select(static one => one.Name).Concat(Imports.Select(static one => one.Name)).GroupBy(static name => name).Where(static group => group.Count() > 1).Select(static group => group.Key))
            throw Wrong(file, $"the name \"{name}\" stands there twice.");
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
                Retry = Attempts == 1 ? null : new RpcRetryPolicy { Attempts = Attempts },
                MaxMessageBytes = MaxMessageBytes,
            };
            options.Local = new RpcServerOptions { MaxConcurrentCalls = MaxConcurrentCalls };
            foreach (string method in Methods)
                options.Methods.Add(method);
            return RabbitMqImport.Start(Name, address, options);
        }
    }
}
