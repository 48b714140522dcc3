using System.Runtime.Versioning;
using Ipc.Testing.Drive;
using Xunit;

[assembly: SupportedOSPlatform("linux")]

// The tests share peers and two cores: one at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(Peers))]
