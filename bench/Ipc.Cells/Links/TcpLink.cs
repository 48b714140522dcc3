using System;
using System.Globalization;
using System.IO;
using Ipc.Tcp;

namespace Ipc.Matrix.Cells;

/// <summary>A connection through an exit and an entrance, each in the process of its side, over the loopback interface.</summary>
internal sealed class TcpLink : ConnectionLink
{
    private string _portFile = "";
    private TcpEntrance? _entrance;
    private TcpExit? _exit;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        _portFile = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}.port");
        if (side == Side.Answering)
        {
            base.Open(name, side, wait, serializer);
            _entrance = TcpEntrance.Open(new TcpEntranceOptions
            {
                Allows = asked => asked == name,
                Connections = new ConnectOptions { WaitMode = wait, ToClientCapacity = Links.Capacity, ToServerCapacity = Links.Capacity },
            });
            File.WriteAllText(_portFile, _entrance.Endpoint.Port.ToString(CultureInfo.InvariantCulture));
            return;
        }

        string address = $"tcp:127.0.0.1:{File.ReadAllText(_portFile)}/{name}", here = name + "-exit";
        _exit = TcpExit.Open(here, address, new TcpExitOptions { Listener = new ListenerOptions { WaitMode = wait, MaxRingCapacity = Links.Capacity } });
        base.Open(here, side, wait, serializer);
    }

    public override void Dispose()
    {
        base.Dispose();
        _exit?.Dispose();
        _entrance?.Dispose();
        if (_entrance is not null)
            File.Delete(_portFile);
    }
}
