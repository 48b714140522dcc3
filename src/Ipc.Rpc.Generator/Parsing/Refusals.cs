using Microsoft.CodeAnalysis;

namespace Ipc.Rpc.Generator;

/// <summary>Why a type cannot be sent, and what to use instead.</summary>
internal static class Refusals
{
    public static (string Reason, string Remedy) Of(ITypeSymbol type)
    {
        switch (type)
        {
            case IArrayTypeSymbol { Rank: > 1 }:
                return ("it has several dimensions", "use an array of arrays");
            case IPointerTypeSymbol or IFunctionPointerTypeSymbol:
                return ("an address means nothing in another process", "use what it points to");
            case ITypeParameterSymbol:
                return ("it is not known at compile time", "use a type that is");
            case IDynamicTypeSymbol:
                return Unknown();
            case { TypeKind: TypeKind.Error }:
                return ("it does not exist", "correct its name, or add the using directive or the reference that it needs"); // the compiler reports it, too
            case { TypeKind: TypeKind.Delegate }:
                return ("code does not travel", "use a callback contract: [IpcService(..., Callback = typeof(...))]");
        }

        switch (type.SpecialType)
        {
            case SpecialType.System_Object:
                return Unknown();
            case SpecialType.System_Char:
                return ("protobuf has no character", "use a string, or a ushort for its number");
            case SpecialType.System_IntPtr or SpecialType.System_UIntPtr:
                return ("its size is that of the process", "use a long or a ulong");
        }

        return Named(type.FullName()) ?? (type.TypeKind switch
        {
            TypeKind.Interface => ("an interface does not say what to make of what arrives", "use a class or a struct with [DataContract], or a list, set or map of those that docs/guide/contracts.md names"),
            _ => ("it is neither a value that protobuf knows, nor a list, set, map or tuple, nor a message",
                "mark it with [DataContract] and its members with [DataMember(Order = n)], or use a type of docs/guide/contracts.md"),
        });
    }

    private static (string Reason, string Remedy)? Named(string name) => name switch
    {
        "System.Collections.Generic.IEnumerable`1" => ("it may be lazy, or endless", "use an IReadOnlyCollection or IReadOnlyList, or return an IAsyncEnumerable for a stream"),
        "System.Collections.Generic.Stack`1" or "System.Collections.Immutable.ImmutableStack`1" or "System.Collections.Generic.Queue`1"
            or "System.Collections.Generic.LinkedList`1" or "System.Collections.ObjectModel.Collection`1" or "System.Collections.ObjectModel.ObservableCollection`1"
            or "System.Collections.ObjectModel.ReadOnlyCollection`1" or "System.Collections.Immutable.ImmutableQueue`1" or "System.Memory`1" or "System.ReadOnlyMemory`1"
            or "System.ArraySegment`1" or "System.Collections.ArrayList" or "System.Collections.Concurrent.ConcurrentBag`1" or "System.Collections.Concurrent.ConcurrentQueue`1"
            => ("this collection is not known", "use an array or a List"),
        "System.Collections.Concurrent.ConcurrentDictionary`2" or "System.Collections.Generic.SortedList`2" or "System.Collections.ObjectModel.ReadOnlyDictionary`2" or "System.Collections.Hashtable"
            => ("this map is not known", "use a Dictionary, or an IReadOnlyDictionary, to which it converts"),
        "System.Collections.Generic.KeyValuePair`2" => ("it is an entry of a map", "use a Dictionary, or a tuple"),
        "System.Half" => ("protobuf has no 16 bits of floating point", "use a float"),
        "System.Int128" or "System.UInt128" or "System.Numerics.BigInteger" => ("protobuf's integers have 64 bits", "use a string, bytes, or a message of two longs"),
        "System.Version" or "System.Net.IPAddress" or "System.Globalization.CultureInfo" or "System.Text.StringBuilder" => ("it is not data of its own", "use a string"),
        "System.Type" => ("a type of one process means nothing in another", "use an enum, or its name as a string"),
        "System.IO.Stream" => ("a stream of bytes stays where it is", "use byte[] or PooledBytes, or an IAsyncEnumerable of parts"),
        "System.Exception" => ("an exception stays where it was thrown", "throw an RpcCallException, with details by [IpcFault(typeof(...))]"),
        _ when name.StartsWith("System.Tuple`", System.StringComparison.Ordinal) => ("it is a class without field names", "use a value tuple: (int Count, string Name)"),
        _ when name.StartsWith("System.ValueTuple", System.StringComparison.Ordinal) => ("a tuple has two elements or more", "use the element itself, or a message"),
        _ => null,
    };

    private static (string Reason, string Remedy) Unknown()
        => ("what it will be is not known at compile time", "use a message with an optional field for each possibility");
}
