using Xunit;

namespace Ipc.Rpc.Tests;

/// <summary>Tests that run while no other test does.</summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone
{
}
