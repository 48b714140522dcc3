using System;

namespace Ipc.Tool;

/// <summary>A region's bytes are not as docs/wire-format.md says, so that reading on makes no sense. Ends up in the report.</summary>
internal sealed class DamageException(string message) : Exception(message);
