namespace Ipc.Rpc.Generator;

/// <summary>A parameter as it is written in C#.</summary>
internal sealed record ParameterModel(string Type, string Name, ParameterRole Role);
