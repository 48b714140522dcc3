namespace Ipc.Tool;

/// <summary>A slot of a listener that is not idle.</summary>
/// <param name="Slot">Its number, and the client's participant index.</param>
/// <param name="State">opening, requested, attached.</param>
/// <param name="ConnectionId">16 hexadecimal digits.</param>
/// <param name="Pid">The client's process.</param>
/// <param name="Alive">It is.</param>
internal sealed record ListenerSlotReport(int Slot, string State, string ConnectionId, uint Pid, bool Alive);
