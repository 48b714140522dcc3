namespace Ipc;

/// <summary>What a region holds; docs/wire-format.md section 2.</summary>
internal enum KindNumber : uint
{
    OfRing = 1,
    OfListener = 2,
    OfConnection = 3,
    OfQueue = 4,
    OfTopic = 5,
    OfMutex = 7,
    OfSemaphore = 8,
    OfEvent = 9,
    OfNamedConnection = 10,
}
