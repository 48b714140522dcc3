using System;

namespace OfficeAddin.ExcelDna;

/// <summary>A stream of cells as a stream of what Excel shows; Excel-DNA brings it into the sheet by RTD.</summary>
internal sealed class ShownCells(IObservable<CellValue> cells) : IObservable<object>
{
    public IDisposable Subscribe(IObserver<object> observer) => cells.Subscribe(new Showing(observer));

    private sealed class Showing(IObserver<object> observer) : IObserver<CellValue>
    {
        public void OnNext(CellValue value) => observer.OnNext(Cells.Shown(value));

        public void OnError(Exception error) => observer.OnError(error);

        public void OnCompleted() => observer.OnCompleted();
    }
}
