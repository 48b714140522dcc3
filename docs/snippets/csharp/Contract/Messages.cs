using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Snippets;

// snippet: messages
[DataContract]
public sealed record Item([property: DataMember(Order = 1)] string Sku, [property: DataMember(Order = 2)] int Count);

[DataContract]
[IpcReserved(3)] // was Customer, until version 2 of the program
public sealed record Order([property: DataMember(Order = 1)] string Sku, [property: DataMember(Order = 2)] int Count);
// end-snippet

[DataContract]
public sealed record Receipt([property: DataMember(Order = 1)] long Number, [property: DataMember(Order = 2)] int Left);

[DataContract]
public sealed record Change([property: DataMember(Order = 1)] string Sku, [property: DataMember(Order = 2)] int By);

[DataContract]
public sealed record Totals([property: DataMember(Order = 1)] int Items, [property: DataMember(Order = 2)] long Pieces);

// snippet: fault
[DataContract]
public sealed record OutOfStock([property: DataMember(Order = 1)] string Sku, [property: DataMember(Order = 2)] int Left);
// end-snippet
