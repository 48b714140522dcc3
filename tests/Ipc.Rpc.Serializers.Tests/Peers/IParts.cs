using Ipc.Rpc.Codec.Tests.Contract;

namespace Ipc.Rpc.Serializers.Tests.Peers;

using Formats = Ipc.Rpc.Codec.Tests.Contract.Formats; // and not the names of the three formats

/// <summary>The messages of the codec tests' contract that protobuf-net knows too, under their names in its .proto.</summary>
[IpcService("codec.v1")]
public interface IParts
{
    Scalars Scalars(Scalars part);

    Optionals Optionals(Optionals part);

    WellKnown WellKnown(WellKnown part);

    Lists Lists(Lists part);

    Maps Maps(Maps part);

    Node Node(Node part);

    Formats Formats(Formats part);
}
