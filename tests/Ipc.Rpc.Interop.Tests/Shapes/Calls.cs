using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;
using Ipc.Rpc.Peer.Interop;
using Xunit;

namespace Ipc.Rpc.Interop.Tests.Shapes;

/// <summary>What the tests of shapes send, and how they look at what comes.</summary>
internal static class Calls
{
    public static TheoryData<Language> Servers => [Language.CSharp, Language.Cpp];

    public static Blob Blob(string text) => new() { Data = Encoding.UTF8.GetBytes(text) };

    public static string Text(Blob blob) => Encoding.UTF8.GetString(blob.Data);

    public static async IAsyncEnumerable<Blob> Items(int count, int size, Action<int>? yielding = null)
    {
        for (int number = 0; number < count; number++)
        {
            yielding?.Invoke(number);
            yield return new Blob { Data = Pattern.Of(number, size) };
            await Task.CompletedTask;
        }
    }

    public static async IAsyncEnumerable<Blob> Then(params object[] blobsOrException)
    {
        foreach (object each in blobsOrException)
        {
            if (each is Exception e)
                throw e;
            yield return (Blob)each;
            await Task.CompletedTask;
        }
    }

    public static async Task<int> CountRight(IAsyncEnumerable<Blob> stream, int size)
    {
        int number = 0;
        await foreach (Blob item in stream)
        {
            if (!item.Data.AsSpan().SequenceEqual(Pattern.Of(number, size)))
                throw new InvalidOperationException($"item {number} is not right");
            number++;
        }
        return number;
    }

    /// <summary>A time-out is a hang.</summary>
    public static Task<T> InTime<T>(this Task<T> task) => task.WaitAsync(Repository.Watchdog);

    public static Task InTime(this Task task) => task.WaitAsync(Repository.Watchdog);

    /// <summary>Collects what is reported, in order, on whatever thread that is.</summary>
    internal sealed class Reports : IProgress<Blob>
    {
        private readonly List<int> _values = [];

        public int[] Values
        {
            get
            {
                lock (_values)
                    return [.. _values];
            }
        }

        public void Report(Blob value)
        {
            lock (_values)
                _values.Add(int.Parse(Text(value), System.Globalization.CultureInfo.InvariantCulture));
        }
    }
}
