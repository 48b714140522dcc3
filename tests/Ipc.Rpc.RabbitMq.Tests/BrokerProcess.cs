using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Ipc.Testing.Drive;
using Xunit;

[assembly: AssemblyFixture(typeof(Ipc.Rpc.RabbitMq.Tests.BrokerProcess))]

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker of the tests' own, and the name server that it needs, both children of this process: with their own home, cookie, directories and ports, so that
/// one that the machine has is neither used nor disturbed. Started with the first test that asks for it; gone with the last.</summary>
public sealed class BrokerProcess : IDisposable
{
    private const string Server = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string Missing = "there is no rabbitmq-server here (Debian: rabbitmq-server; ./test.sh says how to install it so that no service is started)";
    private static readonly string[] s_names = ["/usr/bin/epmd", "/usr/lib/erlang/bin/epmd"];

    private readonly object _gate = new();
    private string? _home;
    private Process? _epmd;
    private Process? _broker;
    private int _epmdPort;
    private int _distributionPort;

    public int Port { get; private set; }

    public IPEndPoint EndPoint => new(IPAddress.Loopback, Port);

    /// <summary>Starts it, unless it runs. Skips the test where there is none.</summary>
    public void Require()
    {
        Assert.SkipUnless(File.Exists(Server), Missing);
        lock (_gate)
        {
            if (_home is null)
            {
                _home = Directory.CreateTempSubdirectory("ipc-rabbitmq-").FullName;
                (Port, _epmdPort, _distributionPort) = (FreePort(), FreePort(), FreePort());
                Prepare();
            }

            if (_epmd is null or { HasExited: true })
                _epmd = Start(Array.Find(s_names, File.Exists) ?? "epmd", "-address", "127.0.0.1", "-port", Text(_epmdPort));
            if (_broker is null or { HasExited: true })
                StartBroker();
            WaitUntilReady();
        }
    }

    /// <summary>SIGKILL; returns when it is gone.</summary>
    public void Kill()
    {
        lock (_gate)
        {
            _broker!.Kill();
            _broker.WaitForExit();
        }
    }

    /// <summary>Begins to start it, and does not wait until it is ready.</summary>
    public void Restart()
    {
        lock (_gate)
            StartBroker();
    }

    public void WaitUntilReady() => Watchdog.Until(
        () =>
        {
            Assert.False(_broker!.HasExited, "the broker has ended: see " + _home);
            return Answers();
        },
        "the broker to answer",
        TimeSpan.FromMinutes(3)); // beside builds one took more than a minute

    public void Dispose()
    {
        lock (_gate)
        {
            foreach (Process? each in new[] { _broker, _epmd })
            {
                if (each is null)
                    continue;
                if (!each.HasExited)
                    each.Kill();
                each.WaitForExit();
                each.Dispose();
            }

            if (_home is not null)
                Directory.Delete(_home, recursive: true);
            _home = null;
        }
    }

    private void StartBroker()
    {
        _broker?.Dispose();
        _broker = Start(Server);
    }

    private void Prepare()
    {
        string cookie = Path.Combine(_home!, ".erlang.cookie");
        File.WriteAllText(cookie, Guid.NewGuid().ToString("N"));
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(cookie, UnixFileMode.UserRead);
        File.WriteAllText(Path.Combine(_home!, "empty"), "");
        File.WriteAllText(Path.Combine(_home!, "plugins"), "[].");
        File.WriteAllText(Path.Combine(_home!, "rabbitmq.conf"), $"""
            listeners.tcp.default = 127.0.0.1:{Port}
            vm_memory_high_watermark.absolute = 400MB
            disk_free_limit.absolute = 10MB
            log.file = false
            log.console = true
            log.console.level = error
            loopback_users.guest = true
            """);
    }

    private Process Start(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = _home };
        foreach ((string name, string value) in new[]
        {
            ("HOME", _home!),
            ("RABBITMQ_NODENAME", "ipc" + Text(Environment.ProcessId) + "@localhost"),
            ("RABBITMQ_CONFIG_FILE", Path.Combine(_home!, "rabbitmq.conf")),
            ("RABBITMQ_CONF_ENV_FILE", Path.Combine(_home!, "empty")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", Path.Combine(_home!, "plugins")),
            ("RABBITMQ_MNESIA_BASE", Path.Combine(_home!, "mnesia")),
            ("RABBITMQ_LOG_BASE", Path.Combine(_home!, "log")),
            ("RABBITMQ_PID_FILE", Path.Combine(_home!, "pid")),
            ("RABBITMQ_DIST_PORT", Text(_distributionPort)),
            ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "+sbwt none +sbwtdcpu none +sbwtdio none +S 2:2"),
            ("ERL_EPMD_PORT", Text(_epmdPort)),
            ("ERL_EPMD_ADDRESS", "127.0.0.1"),
            ("RUNNING_UNDER_SYSTEMD", "1"), // one process, this one's child: no shell in between that outlives it or is outlived
        })
        {
            start.Environment[name] = value;
        }

        Process process = Process.Start(start)!;
        process.OutputDataReceived += static (_, _) => { };
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        return process;
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

    /// <summary>Below those that the system gives to whoever connects.</summary>
    private static int FreePort()
    {
        while (true)
        {
            int port = Random.Shared.Next(20_000, 32_000);
            using Socket socket = new(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
                return port;
            }
            catch (SocketException)
            {
                // taken
            }
        }
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
