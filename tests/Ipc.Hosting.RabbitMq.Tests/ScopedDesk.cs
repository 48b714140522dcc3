using System;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Hosting.RabbitMq.Tests;

/// <summary>One for each call, and so is what it works with.</summary>
public sealed class ScopedDesk(ScopedDesk.Drawer drawer) : Desk
{
    /// <summary>What all scopes of a test have in common.</summary>
    public sealed class Office
    {
        private int _opened;
        private int _closed;

        public int Opened => Volatile.Read(ref _opened);

        public int Closed => Volatile.Read(ref _closed);

        public int Open() => Interlocked.Increment(ref _opened);

        public void Close() => Interlocked.Increment(ref _closed);
    }

    public sealed class Drawer(Office office) : IAsyncDisposable
    {
        public int Number { get; } = office.Open();

        public ValueTask DisposeAsync()
        {
            office.Close();
            return default;
        }
    }

    public int Number => drawer.Number;
}
