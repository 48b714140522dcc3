using System.IO;
using System.Threading;
using Ipc.Bench.Codec;

namespace Ipc.Matrix;

using Ipc.Rpc;

/// <summary>A synchronous call that returns a table of 1,000 ids x 10 short strings.</summary>
/// <remarks>The contract has the table as parameter too; here the service is made by hand, so that the request is small.</remarks>
internal sealed class RpcTable(Figure figure, int count) : Subject(count)
{
    private const int Rows = 1_000;

    private static readonly RpcMethod<RpcEmpty, TextTable> s_method = new("bench.table.v1", "Get", RpcMethodKind.Unary, RpcEmpty.Codec, CodecShapesRpc.SendTable.Response);

    private RpcServer? _server;
    private RpcClient? _client;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
        {
            TextTable table = Shapes.NewTable(Rows, 10);
            RpcHandler handler = RpcHandler.Unary(s_method, (RpcEmpty _, CancellationToken _) => table);
            _server = RpcServer.Start(name, CallOptions.Server(figure), new RpcService(s_method.Service, [handler]));
        }
        else
        {
            _client = RpcClient.Connect(name, CallOptions.Client(figure));
        }
    }

    public override double Measure(int count)
    {
        Call operation = new(_client!);
        return Units.Convert(PerOperation(count, ref operation), Unit.Nanoseconds, Unit.Microseconds);
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    private readonly struct Call(RpcClient client) : IOperation
    {
        public void Run()
        {
            if (client.Call(s_method, default).Rows.Count != Rows)
                throw new InvalidDataException("The table has another length.");
        }
    }
}
