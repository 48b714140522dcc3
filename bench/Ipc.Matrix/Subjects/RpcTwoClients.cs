using System.Diagnostics;
using System.Threading.Tasks;

namespace Ipc.Matrix;

/// <summary>Two clients with a connection and a thread each that do what <see cref="RpcPipelined"/> does, against one server: their calls together.</summary>
/// <remarks>Both live in the measuring process, and so on its core: on a machine of two cores they share one, and the server is what this is about.</remarks>
internal sealed class RpcTwoClients(Figure figure, int count) : Subject(count)
{
    private readonly RpcPipelined _first = new(figure, count);
    private readonly RpcPipelined _second = new(figure, count);

    public override void Open(string name, Side side)
    {
        _first.Open(name, side);
        if (side == Side.Measuring)
            _second.Open(name, side);
    }

    public override double Measure(int count)
    {
        long began = Stopwatch.GetTimestamp();
        Task<double> other = Task.Run(() => _second.Measure(count / 2));
        _first.Measure(count / 2);
        other.GetAwaiter().GetResult();
        return count / Stopwatch.GetElapsedTime(began).TotalMicroseconds;
    }

    public override void Dispose()
    {
        _first.Dispose();
        _second.Dispose();
    }
}
