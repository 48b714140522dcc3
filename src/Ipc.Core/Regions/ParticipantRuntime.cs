namespace Ipc;

/// <summary>Which of the two libraries a participant uses.</summary>
public enum ParticipantRuntime
{
    /// <summary>Neither of the known ones.</summary>
    Unknown = 0,
    /// <summary>The C library.</summary>
    C = 1,
    /// <summary>This one.</summary>
    CSharp = 2,
}
