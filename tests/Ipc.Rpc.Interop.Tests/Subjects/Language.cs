namespace Ipc.Rpc.Interop.Tests;

/// <summary>Which of the two implementations sits at an end.</summary>
public enum Language
{
    CSharp,
    Cpp,
}
