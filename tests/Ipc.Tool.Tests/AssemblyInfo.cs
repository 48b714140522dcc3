using System.Runtime.Versioning;
using Ipc.Testing.Drive;
using Xunit;

[assembly: SupportedOSPlatform("linux")]

// The tests share peers, two cores, and the environment variable by which the tool is told its directory.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(Peers))]
