using System.Collections.Generic;
using System.Runtime.Serialization;
using Ipc.Rpc;

namespace Ipc.Matrix;

/// <summary>What a spreadsheet asks a data service: some fields of many ids.</summary>
[IpcService("bench.ids.v1")]
public interface IIds
{
    /// <summary>The values, id by id, each as it fits into a cell.</summary>
    IdValues Read(IdRequest request);
}

[DataContract]
public sealed record IdRequest(
    [property: DataMember(Order = 1)] string Name, [property: DataMember(Order = 2)] List<string> Ids, [property: DataMember(Order = 3)] List<string> Fields);

[DataContract]
public sealed record IdValues([property: DataMember(Order = 1)] List<string> Values);
