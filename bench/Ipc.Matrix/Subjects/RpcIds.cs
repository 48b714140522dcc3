using System.IO;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>A synchronous call that asks for ten short strings of each of some ids: per id, so that the size of the batch shows.</summary>
internal sealed class RpcIds(Figure figure, int ids, int count) : Subject(count)
{
    private readonly IdRequest _request = IdService.Request(ids);
    private RpcServer? _server;
    private RpcClient? _client;

    public override void Open(string name, Side side)
    {
        if (side == Side.Answering)
            _server = RpcServer.Start(name, CallOptions.Server(figure), IdsRpc.Service(new IdService()));
        else
            _client = RpcClient.Connect(name, CallOptions.Client(figure));
    }

    public override double Measure(int count)
    {
        Call operation = new(IdsRpc.Client(_client!), _request);
        double value = PerOperation(count, ref operation) / _request.Ids.Count;
        for (int i = 0; i < Ticks?.Length; i++)
            Ticks[i] /= _request.Ids.Count; // per id, as the value
        return value;
    }

    public override void Dispose()
    {
        _client?.Dispose();
        _server?.Dispose();
    }

    private readonly struct Call(IIds service, IdRequest request) : IOperation
    {
        public void Run()
        {
            if (service.Read(request).Values.Count != request.Ids.Count * IdService.Fields)
                throw new InvalidDataException("The answer has another number of values.");
        }
    }
}
