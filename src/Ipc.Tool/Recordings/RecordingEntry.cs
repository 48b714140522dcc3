namespace Ipc.Tool;

/// <summary>An entry of a recording.</summary>
/// <param name="What">A message, how many were lost, or the end.</param>
/// <param name="Nanoseconds">Since the recording began.</param>
/// <param name="Number">A message's key; how many were lost; how many messages there are in all.</param>
/// <param name="Type">A message's type.</param>
/// <param name="Flags">Of a message.</param>
/// <param name="Payload">A message's.</param>
internal readonly record struct RecordingEntry(ushort What, ulong Nanoseconds, ulong Number, ushort Type, ushort Flags, byte[] Payload);
