using Ipc.Testing.Drive;
using Xunit;

// The tests share peers and two cores: one at a time. Beside them are those that wait most of the time: see Waiting and SoakTests.
[assembly: CollectionBehavior(CollectionBehavior.CollectionPerAssembly, MaxParallelThreads = 3)]
[assembly: AssemblyFixture(typeof(Peers))]
