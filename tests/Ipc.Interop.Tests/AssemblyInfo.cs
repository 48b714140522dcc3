using Ipc.Testing.Drive;
using Xunit;

// The tests share peers and two cores: one at a time.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
[assembly: AssemblyFixture(typeof(Peers))]
