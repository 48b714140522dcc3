namespace Ipc.Rpc.Generator.Tests;

/// <summary>Contracts whose generated code is checked in as snapshots.</summary>
internal static class Contracts
{
    /// <summary>The contract of the demo, more or less: messages, lists, a stream, a twin.</summary>
    public const string Monitor = """
        namespace Sysmon;

        [IpcService("sysmon.v1")]
        public interface ISystemMonitor
        {
            Table Get(TableRequest request);
            Task<Table> GetAsync(TableRequest request, CancellationToken cancel = default);
            ValueTask<double> LoadAsync(string host, int seconds, CancellationToken cancel = default);
            IAsyncEnumerable<Sample> Watch(TableRequest request, CancellationToken cancel = default);
            void Reset();
        }

        [DataContract]
        public sealed record TableRequest(
            [property: DataMember(Order = 1)] IReadOnlyList<string> Ids,
            [property: DataMember(Order = 2)] IReadOnlyList<string> Fields);

        [DataContract]
        public sealed class Table
        {
            [DataMember(Order = 1)] public List<Row> Rows { get; set; } = new();
            [DataMember(Order = 2)] public DateTime Taken { get; set; }
        }

        [DataContract]
        public struct Row
        {
            [DataMember(Order = 1)] public string Id;
            [DataMember(Order = 2)] public double[] Values;
            [DataMember(Order = 3)] public State State;
        }

        [DataContract]
        public readonly record struct Sample([property: DataMember(Order = 1)] long Tick, [property: DataMember(Order = 2)] double? Load);

        public enum State { Unknown, Running, Sleeping }
        """;

    /// <summary>Awkward but allowed: keywords, no namespace, nesting, inheritance, methods named like generated members.</summary>
    public const string Awkward = """
        internal static class Outer
        {
            [IpcService("awkward")]
            internal interface IThing : IBase
            {
                int Client(int @class, string @event);
                Task Proto();
                [IpcMethod("Renamed")] ValueTask<Dictionary<string, Outer.Inner>?> @switch(Outer.Inner? @int);
                ValueTask Equals(List<int>? a, CancellationToken @new);
                int InnerCodec();
                static int Helper() => 1;
                int WithBody() => 2;
            }

            [DataContract]
            internal sealed class Inner
            {
                [DataMember(Order = 2)] public string @string { get; init; } = "";
                [DataMember(Order = 1)] internal Inner? Self { get; }
                [DataMember(Order = 3)] public IList<Inner> Fill { get; } = new List<Inner>();
                [Obsolete] [DataMember(Order = 4)] public int Old { get; set; }
                public Inner(Inner? self) => Self = self;
            }
        }

        internal interface IBase
        {
            IAsyncEnumerable<long> Ticks(TimeSpan every);
        }
        """;
}
