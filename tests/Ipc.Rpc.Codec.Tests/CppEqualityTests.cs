using Ipc.Rpc.Codec.Tests.Reference;

namespace Ipc.Rpc.Codec.Tests;

/// <inheritdoc/>
public sealed class CppEqualityTests(CppPeer peer) : ReferenceEqualityTests<CppPeer>(peer);
