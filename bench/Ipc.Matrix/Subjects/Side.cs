namespace Ipc.Matrix;

/// <summary>Which of the two processes this is.</summary>
internal enum Side
{
    Measuring,
    Answering,
}
