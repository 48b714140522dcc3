using Ipc.Rpc;

namespace Ipc.Bench.Codec;

/// <summary>Three messages as different as real ones are. Twin of shapes.proto.</summary>
[IpcService("bench.shapes.v1")]
public interface ICodecShapes
{
    /// <summary>Six fields: what most calls carry.</summary>
    Trade SendTrade(Trade trade);

    /// <summary>Ids x fields, all of it short text: what daemons return.</summary>
    TextTable SendTable(TextTable table);

    /// <summary>Messages in messages, with packed numbers: measurements.</summary>
    Recording SendRecording(Recording recording);
}
