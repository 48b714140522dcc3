using Ipc.Testing.Drive;
using Xunit;

namespace Ipc.Crash.Tests;

/// <summary>Tests in which somebody gives up after five seconds, and nobody computes meanwhile. They have peers and a directory of their own, and run beside the others.</summary>
[CollectionDefinition(nameof(Waiting))]
public sealed class Waiting : ICollectionFixture<Peers>;
