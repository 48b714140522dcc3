using System.Collections.Generic;

namespace Ipc.Tool;

/// <summary>What a server has, or why it did not say.</summary>
internal sealed record ServerContracts(string Server, List<ServedContract> Services, string? Error);
