using System;
using System.Threading.Tasks;

namespace Ipc.Hosting.Tests;

/// <summary>A scoped dependency, disposed asynchronously.</summary>
public sealed class Ledger : IAsyncDisposable
{
    private readonly Books _books;

    public Ledger(Books books)
    {
        _books = books;
        books.Made.Enqueue(this);
    }

    public int Sum { get; set; }

    public async ValueTask DisposeAsync()
    {
        if (_books.ClosesSlowly)
            await _books.MayClose.Task;
        _books.Closed.Enqueue(this);
    }
}
