using System.IO;

namespace Ipc.Tool;

/// <summary>Nobody reads the output any more. That is no failure to speak of: the verb ends, as programs do that such a pipe kills.</summary>
internal sealed class OutputClosedException() : IOException("nobody reads the output any more");
