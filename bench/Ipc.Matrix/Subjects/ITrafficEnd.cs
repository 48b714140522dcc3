using System;

namespace Ipc.Matrix;

/// <summary>One worker's end: does a round's share.</summary>
internal interface ITrafficEnd : IDisposable
{
    void Run(int count);
}
