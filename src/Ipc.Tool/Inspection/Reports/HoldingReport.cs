namespace Ipc.Tool;

/// <summary>Something that a participant has and nobody else can.</summary>
/// <param name="Participant">Its index.</param>
/// <param name="Pid">Its process; 0 when the participant is gone.</param>
/// <param name="What">For example: reads slot 0.7 (12 bytes).</param>
internal sealed record HoldingReport(int Participant, uint Pid, string What);
