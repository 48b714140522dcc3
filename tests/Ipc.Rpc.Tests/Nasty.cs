using System;

namespace Ipc.Rpc.Tests;

/// <summary>An exception that fails whenever it is asked for something.</summary>
#pragma warning disable CA1032, CA1064, CA1065 // that it throws is what it is for
internal sealed class Nasty : Exception
{
    public override string Message => throw new InvalidOperationException("no message");

    public override string? StackTrace => throw new InvalidOperationException("no stack");

    public override System.Collections.IDictionary Data => throw new InvalidOperationException("no data");

    public override string ToString() => throw new InvalidOperationException("no text");
}
#pragma warning restore CA1032, CA1064, CA1065
