using System;

namespace Ipc.Matrix.Cells;

/// <summary>Leaves cells out, for a reason that <c>--list</c> prints.</summary>
internal sealed record Rule(string Name, string Reason, Func<Cell, bool> LeavesOut);
