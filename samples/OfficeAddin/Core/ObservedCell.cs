using System;

namespace OfficeAddin;

/// <summary>A streamed cell, for whoever subscribes to it.</summary>
internal sealed class ObservedCell : IObservable<CellValue>
{
    private readonly SheetFunctions _functions;
    private readonly string _service, _id, _field;

    public ObservedCell(SheetFunctions functions, string service, string id, string field)
    {
        _functions = functions;
        _service = service;
        _id = id;
        _field = field;
    }

    public IDisposable Subscribe(IObserver<CellValue> observer)
    {
        if (observer is null)
            throw new ArgumentNullException(nameof(observer));
        if (_functions.Subscribe(_service, _id, _field, observer) is { } subscription)
            return subscription;
        observer.OnCompleted(); // closed
        return new Nothing();
    }

    private sealed class Nothing : IDisposable
    {
        public void Dispose()
        {
        }
    }
}
