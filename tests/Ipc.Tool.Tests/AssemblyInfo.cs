using Ipc.Testing.Drive;
using Xunit;

// The tests share peers, two cores, and the environment variable by which the tool is told its directory.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(Peers))]
