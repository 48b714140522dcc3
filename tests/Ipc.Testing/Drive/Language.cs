namespace Ipc.Testing.Drive;

/// <summary>Which of the two implementations sits at an end.</summary>
public enum Language
{
    CSharp,
    C,
}
