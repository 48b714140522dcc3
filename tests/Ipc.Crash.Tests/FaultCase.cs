using System;

namespace Ipc.Crash.Tests;

/// <summary>One row of the table: a fault point, at which of its passes the victim meets it, and what is played around it.</summary>
internal sealed record FaultCase(string Point, Action<Scene> Play, int Pass = 1, string Variant = "");
