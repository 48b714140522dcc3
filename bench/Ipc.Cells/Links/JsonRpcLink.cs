using System;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Ipc.Pipelines;
using MessagePack;
using MessagePack.Resolvers;
using StreamJsonRpc;

namespace Ipc.Matrix.Cells;

/// <summary>StreamJsonRpc as it is, on a Unix socket or in shared memory, with either of its usual formats.</summary>
internal sealed class JsonRpcLink(bool isIpc) : Link
{
    private readonly Target _target = new();
    private bool _isBinary;
    private string? _path;
    private Socket? _socketListener;
    private IpcPipeListener? _pipeListener;
    private Task<Stream>? _accepting;
    private JsonRpc? _rpc;
    private Table? _table;

    public override void Open(string name, Side side, WaitMode wait, string serializer)
    {
        _isBinary = serializer == "messagepack";
        string path = Path.Combine(Path.GetTempPath(), $"ipc-cells-{name}.jsonrpc");
        if (side == Side.Measuring)
        {
            _rpc = Attach(isIpc ? IpcPipe.Connect(name, new IpcPipeOptions { ConnectTimeout = Patience }).AsStream() : Connect(path));
        }
        else if (isIpc)
        {
            _pipeListener = IpcPipeListener.Open(name);
            _accepting = AcceptPipeAsync(_pipeListener);
        }
        else
        {
            File.Delete(path);
            _path = path;
            _socketListener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            _socketListener.Bind(new UnixDomainSocketEndPoint(path));
            _socketListener.Listen(1);
            _accepting = AcceptSocketAsync(_socketListener);
        }
    }

    public override void Prepare(Work work)
    {
        _table = new Table(work.Shape);
        _target.Table = _table;
        _rpc ??= Attach(_accepting!.WaitAsync(Patience).GetAwaiter().GetResult());
    }

    public override void Measure(Work work, int count, Round round) => Task.Run(() => MeasureAsync(work, count, round)).GetAwaiter().GetResult();

    public override void Dispose()
    {
        _rpc?.Dispose();
        _pipeListener?.Dispose();
        _socketListener?.Dispose();
        if (_path is not null)
            File.Delete(_path);
    }

    private static NetworkStream Connect(string path)
    {
        Socket socket = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        socket.Connect(new UnixDomainSocketEndPoint(path));
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static async Task<Stream> AcceptPipeAsync(IpcPipeListener listener) => (await listener.AcceptAsync()).AsStream();

    private static async Task<Stream> AcceptSocketAsync(Socket listener) => new NetworkStream(await listener.AcceptAsync(), ownsSocket: true);

    private JsonRpc Attach(Stream stream)
    {
        MessagePackFormatter binary = new();
        if (_isBinary) // classes with [DataContract] are among what it takes by itself
            binary.SetMessagePackSerializerOptions(MessagePackFormatter.DefaultUserDataSerializationOptions.WithResolver(StandardResolver.Instance));
        IJsonRpcMessageHandler handler = _isBinary
            ? new LengthHeaderMessageHandler(stream, stream, binary)
            : new HeaderDelimitedMessageHandler(stream, new SystemTextJsonFormatter());
        JsonRpc rpc = new(handler, _target);
        rpc.StartListening();
        return rpc;
    }

    private async Task MeasureAsync(Work work, int count, Round round)
    {
        using CancellationTokenSource patience = new(3 * Patience);
        long number = work.Number, first = number + 1, end = first + count;
        for (; number < end; number++)
        {
            if (number == first)
                round.Begin();
            long began = Stopwatch.GetTimestamp();
            Answer answer = await _rpc!.InvokeWithCancellationAsync<Answer>(nameof(Target.Ask), [_table!.Query(number)], patience.Token);
            _table.CheckAnswer(answer.Number, number, answer.Values);
            if (number >= first)
                round.Note(began);
        }

        round.End();
        work.Number = number;
    }

    /// <summary>What is called.</summary>
    private sealed class Target
    {
        internal Table Table { get; set; } = new(Shape.All[0]);

        public Answer Ask(Query query)
        {
            Table.CheckQuery(query.Number, query.Number, query.Name, query.Ids, query.Fields);
            return Table.Answer(query.Number, 0);
        }
    }
}
