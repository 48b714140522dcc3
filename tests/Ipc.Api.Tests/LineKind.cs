namespace Ipc.Api.Tests;

/// <summary>What stands where below the name of a type.</summary>
internal enum LineKind
{
    Type,
    Base,
    Interface,
    Member,
}
