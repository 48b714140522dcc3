namespace Ipc.Mutation.Tests;

/// <summary>What stands in one place of a file and in no other, and what stands there instead.</summary>
public sealed record Edit(string Original, string Replacement);
