using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Ipc.Rpc.Serializers.Tests.Contract;

/// <summary>Answers with what it was given, so that both directions are seen.</summary>
internal sealed class Shop : IShop
{
    public int Pings { get; private set; }

    public static Guid IdOf(int index) => new(index, 1, 2, [3, 4, 5, 6, 7, 8, 9, 10]);

    public Order Mirror(Order order) => order;

    public string Describe(int number, string text, List<double> values, Item? item)
        => string.Create(CultureInfo.InvariantCulture, $"{number} {text} [{string.Join(' ', values)}] {item?.Name ?? "none"}");

    public async Task<string?> FindAsync(string name, CancellationToken cancel = default)
    {
        await Task.Yield();
        return name == "nobody" ? null : "found " + name;
    }

    public void Ping() => Pings++;

    public async IAsyncEnumerable<Item> Items(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return new Item("item " + i.ToString(CultureInfo.InvariantCulture), (uint)i);
        }
    }

    public async ValueTask<long> SumAsync(int factor, IAsyncEnumerable<Item> items, CancellationToken cancel = default)
    {
        long sum = 0;
        await foreach (Item item in items.WithCancellation(cancel))
            sum += item.Count * factor;
        return sum;
    }

    public async IAsyncEnumerable<Item> Echo(IAsyncEnumerable<Item> items, [EnumeratorCancellation] CancellationToken cancel = default)
    {
        await foreach (Item item in items.WithCancellation(cancel))
            yield return item;
    }

    public async ValueTask<int> WorkAsync(int steps, IProgress<Item> progress, CancellationToken cancel = default)
    {
        await Task.Yield();
        for (int i = 1; i <= steps; i++)
            progress.Report(new Item("step", (uint)i));
        return steps;
    }

    public async IAsyncEnumerable<Guid> Ids(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return IdOf(i);
        }
    }
}
