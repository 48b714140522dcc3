using System;
using System.Threading;

namespace Ipc.Peer.Drive;

/// <summary>The commands of mutex, semaphore and event.</summary>
internal sealed partial class Driver
{
    private string? Sync()
    {
        switch (_line.Word(0))
        {
            case "open-mutex":
                _objects[_line.Id] = SharedMutex.Open(_line.Word(2), new SyncOptions
                {
                    Lifetime = _line.Lifetime,
                    OpenMode = OpenModeOption,
                    OpenTimeout = _line.Timeout,
                    WaitMode = _line.WaitMode,
                    Access = _line.Access,
                });
                return "0";
            case "open-semaphore":
                _objects[_line.Id] = SharedSemaphore.Open(_line.Word(2), new SemaphoreOptions
                {
                    Permits = (int)_line.Number("permits", 1),
                    Lifetime = _line.Lifetime,
                    OpenMode = OpenModeOption,
                    OpenTimeout = _line.Timeout,
                    WaitMode = _line.WaitMode,
                    Access = _line.Access,
                });
                return "0";
            case "open-event":
                _objects[_line.Id] = SharedEvent.Open(_line.Word(2), new EventOptions
                {
                    ManualReset = _line.Number("manual", 0) != 0,
                    InitiallySet = _line.Number("set", 0) != 0,
                    Lifetime = _line.Lifetime,
                    OpenMode = OpenModeOption,
                    OpenTimeout = _line.Timeout,
                    WaitMode = _line.WaitMode,
                    Access = _line.Access,
                });
                return "0";
        }
        return _objects.TryGetValue(_line.Id, out object? found) ? SyncCommand(found) : null;
    }

    private string? SyncCommand(object target)
    {
        switch (target, _line.Word(0))
        {
            case (SharedMutex mutex, "acquire"): return Status(mutex.Acquire(_line.Deadline, CancellationToken.None));
            case (SharedMutex mutex, "release"): mutex.Release(); break;
            case (SharedMutex mutex, "stop"): mutex.Stop(); break;
            case (SharedMutex mutex, "resume"): mutex.Resume(); break;
            case (SharedSemaphore semaphore, "acquire"): return Status(semaphore.Acquire(_line.Deadline, CancellationToken.None));
            case (SharedSemaphore semaphore, "release"): semaphore.Release(); break;
            case (SharedSemaphore semaphore, "available"): return $"0 available={semaphore.Available}";
            case (SharedSemaphore semaphore, "stop"): semaphore.Stop(); break;
            case (SharedSemaphore semaphore, "resume"): semaphore.Resume(); break;
            case (SharedEvent signal, "wait"): return Status(signal.Wait(_line.Deadline, CancellationToken.None));
            case (SharedEvent signal, "set"): signal.Set(); break;
            case (SharedEvent signal, "reset"): signal.Reset(); break;
            case (SharedEvent signal, "stop"): signal.Stop(); break;
            case (SharedEvent signal, "resume"): signal.Resume(); break;
            default: return null;
        }
        return "0";
    }
}
