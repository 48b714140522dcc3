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

    /// <summary>Everything that a call can be: streams both ways, one-way, progress, inline, a callback, faults, reserved numbers.</summary>
    public const string Shapes = """
        namespace Shapes
        {
            [IpcService("shapes.v1", Callback = typeof(IEvents))]
            [IpcFault(typeof(Failure))]
            public interface IShapes
            {
                Task<int> UploadAsync(string name, IAsyncEnumerable<Block> blocks, CancellationToken cancel = default);
                ValueTask SumAsync(IAsyncEnumerable<double> values);
                Task<Block> LastAsync(Block first, IAsyncEnumerable<Block> rest);
                IAsyncEnumerable<string?> Talk(IAsyncEnumerable<string?> words, int limit, CancellationToken cancel = default);
                IAsyncEnumerable<Block> Echo(IAsyncEnumerable<Block> blocks);
                [IpcOneWay] void Log(string line);
                [IpcOneWay] Task LogAsync(string line, CancellationToken cancel);
                [IpcOneWay] ValueTask ForgetAsync();
                Task<Block> BuildAsync(string what, int effort, IProgress<double> progress, CancellationToken cancel = default);
                ValueTask BakeAsync(IProgress<Block>? progress);
                [IpcInline] int Quick(int a);
                [IpcFault(typeof(Limit))] void Risky();
            }

            [IpcService("shapes.events.v1")]
            public interface IEvents
            {
                [IpcOneWay] void Changed(string what);
                bool MayStop();
            }

            [DataContract, IpcReserved(4, 3)]
            public class Block
            {
                [DataMember(Order = 1)] public byte[] Bytes { get; set; } = new byte[0];
                [DataMember(Order = 2)] public Color Color { get; set; }
            }

            [DataContract] public class Failure { [DataMember(Order = 1)] public string Why { get; set; } = ""; }
            [DataContract] public struct Limit { [DataMember(Order = 1)] public int Max { get; set; } }
            [IpcReserved(7)] public enum Color { None, Red }
        }
        """;

    /// <summary>Containers of every kind, lists within lists, tuples, and the types that travel as messages of the contract's own.</summary>
    public const string Kinds = """
        namespace Kinds
        {
            [IpcService("kinds.v1")]
            public interface IKinds
            {
                DateTimeOffset When(DateOnly day, TimeOnly? time, Uri? at);
                [IpcIdempotent] (int Count, string Name) Best();
                Task<List<List<int>>> Rows(int[][] rows);
                IAsyncEnumerable<(string, double?)> Points(Dictionary<string, HashSet<int>> groups);
                Box Echo(Box box);
            }

            [DataContract]
            public class Box
            {
                [DataMember(Order = 1)] public HashSet<string> Names { get; } = new();
                [DataMember(Order = 2)] public IReadOnlySet<int>? Numbers { get; set; }
                [DataMember(Order = 3)] public System.Collections.Immutable.ImmutableArray<double> Values { get; set; }
                [DataMember(Order = 4)] public System.Collections.Immutable.ImmutableArray<Uri>? Links { get; set; }
                [DataMember(Order = 5)] public System.Collections.Frozen.FrozenDictionary<string, System.Collections.Immutable.ImmutableArray<int>>? Frozen { get; set; }
                [DataMember(Order = 6)] public SortedDictionary<int, DateOnly> Days { get; } = new();
                [DataMember(Order = 7)] public ICollection<TimeOnly> Times { get; set; } = new List<TimeOnly>();
                [DataMember(Order = 8)] public (Box? Left, List<Box> Others) Parts { get; set; }
                [DataMember(Order = 9)] public Uri Home { get; set; } = ProtoReader.EmptyUri;
                [DataMember(Order = 10)] public Dictionary<int, DateTimeOffset> Moments { get; set; } = new();
            }
        }
        """;

    /// <summary>A contract as others annotate it: protobuf-net, protobuf-net.Grpc and WCF, whose attributes are declared here by their full names.</summary>
    public const string Foreign = """
        namespace ProtoBuf
        {
            public class ProtoContractAttribute : Attribute { public string Name { get; set; } = ""; public int ImplicitFields { get; set; } }
            public class ProtoMemberAttribute : Attribute { public ProtoMemberAttribute(int tag) { } public string Name { get; set; } = ""; }
            [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
            public class ProtoReservedAttribute : Attribute { public ProtoReservedAttribute(int field, string comment = "") { } public ProtoReservedAttribute(int from, int to, string comment = "") { } }
        }

        namespace ProtoBuf.Grpc
        {
            public readonly struct CallContext
            {
                private readonly CancellationToken _token;
                private CallContext(CancellationToken token) => _token = token;
                public CancellationToken CancellationToken => _token;
                public static implicit operator CallContext(CancellationToken token) => new CallContext(token);
            }
        }

        namespace ProtoBuf.Grpc.Configuration
        {
            public class ServiceAttribute : Attribute { public ServiceAttribute(string? name = null) { } public string? Name { get; set; } }
            public class OperationAttribute : Attribute { public OperationAttribute(string? name = null) { } public string? Name { get; set; } }
        }

        namespace System.ServiceModel
        {
            public class ServiceContractAttribute : Attribute { public string? Name { get; set; } public Type? CallbackContract { get; set; } }
            public class OperationContractAttribute : Attribute { public string? Name { get; set; } public bool IsOneWay { get; set; } }
            [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
            public class FaultContractAttribute : Attribute { public FaultContractAttribute(Type detail) { } }
        }

        namespace Foreign
        {
            using ProtoBuf;
            using ProtoBuf.Grpc;
            using ProtoBuf.Grpc.Configuration;
            using System.ServiceModel;

            [Service("greeter.v1")]
            public interface IGreeter
            {
                [Operation("Hello")] ValueTask<Greeting> SayHelloAsync(Greeting greeting, CallContext context = default);
                IAsyncEnumerable<Greeting> Listen(CallContext context = default);
            }

            [ServiceContract(Name = "orders.v1", CallbackContract = typeof(IOrderEvents))]
            public interface IOrders
            {
                [OperationContract(Name = "Put"), FaultContract(typeof(Greeting))] int PlaceOrder(string what, int count);
                [OperationContract(IsOneWay = true)] void Cancel(int number);
            }

            [ServiceContract]
            public interface IOrderEvents
            {
                [OperationContract(IsOneWay = true)] void Shipped(int number);
            }

            [IpcService("both.v1"), ServiceContract(Name = "other")]
            public interface IBoth { void F(); }

            [ProtoContract(Name = "Salutation"), ProtoReserved(5, 7), ProtoReserved(3, "was the language")]
            public class Greeting
            {
                [ProtoMember(1)] public string Text { get; set; } = "";
                [ProtoMember(2, Name = "how_often")] public int Times { get; set; }
            }
        }
        """;
}
