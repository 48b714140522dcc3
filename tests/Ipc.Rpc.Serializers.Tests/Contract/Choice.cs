using System.Collections.Generic;
using System.Runtime.Serialization;

#pragma warning disable IPCRPC027 // what becomes of null and empty is what is tested

namespace Ipc.Rpc.Serializers.Tests.Contract;

/// <summary>What may be null.</summary>
[DataContract]
public sealed class Choice
{
    [DataMember(Order = 1)]
    public List<int>? Codes { get; set; }

    [DataMember(Order = 2)]
    public string? Text { get; set; }
}

[IpcService("serializers.choice.v1")]
public interface IMirror
{
    Choice Mirror(Choice choice);
}
