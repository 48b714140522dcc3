using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using Xunit;

[assembly: AssemblyFixture(typeof(Ipc.Rpc.RabbitMq.Tests.BrokerProcess))]

namespace Ipc.Rpc.RabbitMq.Tests;

/// <summary>A broker of the tests' own, of one node or of several, and the name server that it needs. Started with the first test that asks for it; gone with the
/// last.</summary>
public sealed class BrokerProcess : IDisposable
{
    private readonly object _gate = new();
    private readonly int _count;
    private readonly List<BrokerNode> _nodes = [];
    private string? _home;
    private Process? _names;
    private int _namesPort;

    public BrokerProcess()
        : this(1)
    {
    }

    internal BrokerProcess(int nodes) => _count = nodes;

    public int Port => _nodes[0].Port;

    public IPEndPoint EndPoint => _nodes[0].EndPoint;

    internal IReadOnlyList<BrokerNode> Nodes => _nodes;

    /// <summary>Starts it, unless it runs. Skips the test where there is none.</summary>
    public void Require()
    {
        BrokerNode.SkipUnlessThere();
        lock (_gate)
        {
            if (_home is null)
                Prepare();
            if (_names is null or { HasExited: true })
                _names = BrokerNode.StartNames(_home!, _namesPort);
            foreach (BrokerNode node in _nodes) // the others join the first
            {
                if (!node.Runs)
                    node.Start();
                node.WaitUntilReady();
            }
        }
    }

    /// <summary>SIGKILL; returns when it is gone.</summary>
    public void Kill() => _nodes[0].Kill();

    /// <summary>Begins to start it, and does not wait until it is ready.</summary>
    public void Restart() => _nodes[0].Start();

    public TimeSpan Processor => _nodes[0].Processor;

    public string Control(params string[] words) => _nodes[0].Control(words);

    /// <summary>As <see cref="BrokerNode.Evaluate"/>.</summary>
    public void Evaluate(string expression) => _nodes[0].Evaluate(expression);

    public void WaitUntilReady() => _nodes[0].WaitUntilReady();

    public void Dispose()
    {
        lock (_gate)
        {
            _nodes.ForEach(static node => node.Dispose());
            _nodes.Clear();
            if (_names is not null)
            {
                if (!_names.HasExited)
                    _names.Kill();
                _names.WaitForExit();
                _names.Dispose();
                _names = null;
            }

            if (_home is not null)
                Directory.Delete(_home, recursive: true);
            _home = null;
        }
    }

    private void Prepare()
    {
        _home = Directory.CreateTempSubdirectory("ipc-rabbitmq-").FullName;
        _namesPort = BrokerNode.FreePort();
        string cookie = Guid.NewGuid().ToString("N"), first = $"ipc{Environment.ProcessId}n0@localhost";
        for (int i = 0; i < _count; i++)
        {
            string home = Directory.CreateDirectory(Path.Combine(_home, "n" + i)).FullName;
            _nodes.Add(new BrokerNode(home, $"ipc{Environment.ProcessId}n{i}@localhost", _namesPort, cookie, first));
        }
    }
}
