using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker, or a node of one, as a child of this process: with its own home, directories and ports, so that one that the machine has is neither used nor
/// disturbed.</summary>
internal sealed class BrokerNode : IDisposable
{
    private const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string Missing = "there is no rabbitmq-server here (Debian: rabbitmq-server; ./test.sh says how to install it so that no service is started)";
    private static readonly ConcurrentDictionary<int, bool> s_ports = new(); // given away by this process
    private static readonly string[] s_names = ["/usr/bin/epmd", "/usr/lib/erlang/bin/epmd"];

    private readonly string _home;
    private readonly string _cookie;
    private readonly int _epmdPort;
    private readonly int _distributionPort = FreePort();
    private Process? _process;

    /// <param name="home">A directory of its own, which is there.</param>
    /// <param name="name">Of this node.</param>
    /// <param name="epmdPort">Where the name server of its cluster is.</param>
    /// <param name="cookie">What all nodes of its cluster know.</param>
    /// <param name="first">The node of a cluster that it joins; itself, if it is the first.</param>
    public BrokerNode(string home, string name, int epmdPort, string cookie, string first)
    {
        (_home, Name, _epmdPort, _cookie) = (home, name, epmdPort, cookie);
        string file = Path.Combine(_home, ".erlang.cookie");
        File.WriteAllText(file, cookie);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(file, UnixFileMode.UserRead);
        File.WriteAllText(Path.Combine(_home, "empty"), "");
        File.WriteAllText(Path.Combine(_home, "plugins"), "[].");
        LinkPlugins();
        File.WriteAllText(Path.Combine(_home, "rabbitmq.conf"), $"""
            listeners.tcp.default = 127.0.0.1:{Port}
            vm_memory_high_watermark.absolute = 400MB
            disk_free_limit.absolute = 10MB
            log.file = false
            log.console = true
            log.console.level = error
            loopback_users.guest = true
            cluster_formation.peer_discovery_backend = classic_config
            cluster_formation.classic_config.nodes.1 = {first}

            """);
    }

    public string Name { get; }

    public int Port { get; } = FreePort();

    public IPEndPoint EndPoint => new(IPAddress.Loopback, Port);

    /// <summary>How long processors have worked for it.</summary>
    public TimeSpan Processor
    {
        get
        {
            _process!.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    public bool Runs => _process is { HasExited: false };

    public static void SkipUnlessThere() => Assert.SkipUnless(File.Exists(Server), Missing);

    /// <summary>The name server that the nodes of one cluster need.</summary>
    public static Process StartNames(string home, int port) =>
        Run(home, Array.Find(s_names, File.Exists) ?? "epmd", "-address", "127.0.0.1", "-port", Text(port));

    /// <summary>Begins to start it, and does not wait until it is ready.</summary>
    public void Start()
    {
        _process?.Dispose();
        _process = Run(_home, Server);
    }

    /// <summary>SIGKILL; returns when it is gone.</summary>
    public void Kill()
    {
        _process!.Kill();
        _process.WaitForExit();
    }

    /// <summary>Tells or asks it something by its own tool, which takes a second or two.</summary>
    /// <returns>What that says.</returns>
    public string Control(params string[] words)
    {
        using Process tool = Begin(
            _home, "/usr/lib/rabbitmq/bin/rabbitmqctl", ["--quiet", "-n", Name, .. words], ("ERL_EPMD_PORT", Text(_epmdPort)), ("RABBITMQ_CONF_ENV_FILE", Path.Combine(_home, "empty")));
        tool.ErrorDataReceived += static (_, _) => { };
        tool.BeginErrorReadLine();
        string said = tool.StandardOutput.ReadToEnd();
        Assert.True(tool.WaitForExit(TimeSpan.FromMinutes(1)), "rabbitmqctl does not end");
        Assert.True(tool.ExitCode == 0, $"rabbitmqctl {string.Join(' ', words)} ended with {tool.ExitCode}: {said}");
        return said.Trim();
    }

    /// <summary>Has it evaluate an expression, which ends with a full stop: in milliseconds.</summary>
    public void Evaluate(string expression)
    {
        ProcessStartInfo start = new("erl_call", ["-n", Name, "-c", _cookie, "-e"]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        start.Environment["HOME"] = _home;
        start.Environment["ERL_EPMD_PORT"] = Text(_epmdPort);
        using Process tool = Process.Start(start)!;
        tool.StandardInput.WriteLine(expression);
        tool.StandardInput.Close();
        string said = tool.StandardOutput.ReadToEnd();
        Assert.True(tool.WaitForExit(TimeSpan.FromMinutes(1)) && tool.ExitCode == 0 && said.StartsWith("{ok, ", StringComparison.Ordinal), $"{expression} {said}");
    }

    public void WaitUntilReady() => Watchdog.Until(
        () =>
        {
            Assert.True(Runs, "the broker has ended: see " + _home);
            return Answers();
        },
        "the broker to answer",
        TimeSpan.FromMinutes(3)); // beside builds one took more than a minute

    public void Dispose()
    {
        if (Runs)
            Kill();
        _process?.Dispose();
    }

    /// <summary>Below those that the system gives to whoever connects.</summary>
    public static int FreePort()
    {
        while (true)
        {
            int port = Random.Shared.Next(20_000, 32_000);
            using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
                if (s_ports.TryAdd(port, true)) // a broker that starts, or is down for a moment, has its own although nobody listens there
                    return port;
            }
            catch (SocketException)
            {
                // taken
            }
        }
    }

    /// <summary>
    /// A start loads a thousand modules, each looked for in one directory after another: 50,000 that are opened in vain, two fifths of its time. So it sees only the plugins that
    /// it cannot do without, and looks first where most of its modules are. (The plugins of a broker have names with rabbitmq_; what else is there are parts of it.)
    /// </summary>
    private void LinkPlugins()
    {
        string links = Directory.CreateDirectory(Path.Combine(_home, "links")).FullName;
        foreach (string part in Parts())
            Directory.CreateSymbolicLink(Path.Combine(links, Path.GetFileName(part)), part);
    }

    private static IEnumerable<string> Parts() => Directory.GetDirectories("/usr/lib/rabbitmq/lib", "rabbitmq_server-*")
        .Select(static server => Path.Combine(server, "plugins"))
        .Where(Directory.Exists)
        .SelectMany(Directory.GetDirectories)
        .Where(static part => Path.GetFileName(part) is var name && (!name.StartsWith("rabbitmq_", StringComparison.Ordinal) || name.StartsWith("rabbitmq_prelaunch-", StringComparison.Ordinal)));

    private static string FirstPlaces()
    {
        IEnumerable<string> parts = Parts(), libraries = Directory.GetDirectories("/usr/lib/erlang/lib");
        string[] places =
        [
            .. new[] { "rabbit-", "stdlib-", "kernel-", "rabbit_common-", "compiler-", "ssl-", "mnesia-", "xmerl-", "syntax_tools-", "public_key-", "inets-", "tools-", "ra-" }
                .SelectMany(name => parts.Concat(libraries).Where(place => Path.GetFileName(place).StartsWith(name, StringComparison.Ordinal)))
                .Select(static place => " " + Path.Combine(place, "ebin")),
        ];
        return places.Length == 0 ? "" : " -pa" + string.Concat(places);
    }

    private Process Run(string home, string program) => Run(
        home,
        program,
        [],
        ("RABBITMQ_NODENAME", Name),
        ("RABBITMQ_CONFIG_FILE", Path.Combine(home, "rabbitmq.conf")),
        ("RABBITMQ_CONF_ENV_FILE", Path.Combine(home, "empty")),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", Path.Combine(home, "plugins")),
        ("RABBITMQ_MNESIA_BASE", Path.Combine(home, "mnesia")),
        ("RABBITMQ_LOG_BASE", Path.Combine(home, "log")),
        ("RABBITMQ_PID_FILE", Path.Combine(home, "pid")),
        ("RABBITMQ_DIST_PORT", Text(_distributionPort)),
        ("RABBITMQ_PLUGINS_DIR", Path.Combine(home, "links")),
        ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none +sbwtdcpu none +sbwtdio none +S 2:2" + FirstPlaces()),
        ("ERL_EPMD_PORT", Text(_epmdPort)),
        ("RUNNING_UNDER_SYSTEMD", "1")); // one process, this one's child: no shell in between that outlives it or is outlived

    private static Process Run(string home, string program, params string[] arguments) => Run(home, program, arguments, []);

    private static Process Run(string home, string program, string[] arguments, params (string Name, string Value)[] environment)
    {
        Process process = Begin(home, program, arguments, environment);
        process.OutputDataReceived += static (_, _) => { };
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
    }

    private static Process Begin(string home, string program, string[] arguments, params (string Name, string Value)[] environment)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = home };
        start.Environment["HOME"] = home;
        start.Environment["ERL_EPMD_ADDRESS"] = "127.0.0.1";
        foreach ((string name, string value) in environment)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }

    /// <summary>Whether it speaks AMQP: it accepts connections before it does.</summary>
    private bool Answers()
    {
        using Socket socket = new(SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = 1000 };
        try
        {
            socket.Connect(EndPoint);
            socket.Send("AMQP\0\0\u0009\u0001"u8);
            return socket.Receive(new byte[8]) > 0;
        }
        catch (SocketException)
        {
            Thread.Sleep(20); // between two looks
            return false;
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
