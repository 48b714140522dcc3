namespace Ipc.Rpc.Generator;

/// <summary>An enum in the .proto, the zero first.</summary>
internal sealed record EnumModel(string Name, bool HasAliases, EquatableArray<EnumValueModel> Values, EquatableArray<int> Reserved);

/// <summary>A named value of an enum.</summary>
internal sealed record EnumValueModel(string Name, int Number);
