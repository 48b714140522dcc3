using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Ipc.Grpc.Tests;

/// <summary>The gateway does not leave a call while anything reads its request: ASP.NET Core uses the request's memory again.</summary>
public sealed class RequestItemsTests
{
    [Fact]
    public async Task ItEndsWhenTheReadingHas()
    {
        Reader reader = new();
        RequestItems items = new(reader);
        using CancellationTokenSource stop = new();
        IAsyncEnumerator<Payload> reading = items.GetAsyncEnumerator(stop.Token);
        ValueTask<bool> first = reading.MoveNextAsync();
        Task ended = items.EndAsync();
        Assert.False(ended.IsCompleted);
        reader.Next.SetResult(false);
        Assert.False(await first);
        await ended;
        Assert.Equal(stop.Token, reader.Token);
        await reading.DisposeAsync();
    }

    [Fact]
    public async Task WhatHasNotBegunByThenNeverDoes()
    {
        Reader reader = new();
        reader.Next.SetResult(false);
        RequestItems items = new(reader);
        IAsyncEnumerator<Payload> late = items.GetAsyncEnumerator(CancellationToken.None);
        Assert.True(items.EndAsync().IsCompletedSuccessfully);
        Assert.False(await late.MoveNextAsync());
        Assert.Equal(0, reader.Reads);
        await late.DisposeAsync();
    }

    private sealed class Reader : IAsyncStreamReader<Payload>
    {
        public TaskCompletionSource<bool> Next { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public CancellationToken Token { get; private set; }

        public int Reads { get; private set; }

        Payload IAsyncStreamReader<Payload>.Current => Payload.Empty;

        public Task<bool> MoveNext(CancellationToken cancellationToken)
        {
            Reads++;
            Token = cancellationToken;
            return Next.Task;
        }
    }
}
