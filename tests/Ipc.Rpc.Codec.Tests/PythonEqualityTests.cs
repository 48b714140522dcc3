using Ipc.Rpc.Codec.Tests.Reference;

namespace Ipc.Rpc.Codec.Tests;

/// <inheritdoc/>
public sealed class PythonEqualityTests(PythonPeer peer) : ReferenceEqualityTests<PythonPeer>(peer);
