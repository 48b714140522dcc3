using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Ipc.Rpc.Contracts.Tests;

/// <summary>Contracts and messages are found by their types, because the generated code has registered them.</summary>
public sealed class RegistryTests
{
    [Fact]
    public void AContractIsFoundByItsInterface()
    {
        using var server = new OwnServer(RpcContracts.Service<ITasks>(new Tasks()));
        Assert.Equal(3, server.Client.For<ITasks>().Read("abc"));
    }

    [Fact]
    public void AServiceMayAskForAnObjectWithEachCall()
    {
        int made = 0;
        using var server = new OwnServer(RpcContracts.ServicePerCall<ITasks>(() =>
        {
            made++;
            return new Tasks();
        }));
        ITasks tasks = server.Client.For<ITasks>();
        Assert.Equal((1, 2, 2), (tasks.Read("a"), tasks.Read("ab"), made));
    }

    [Fact]
    public void AContractsFileIsFoundByItsInterface()
    {
        Assert.Equal(TasksRpc.Proto, RpcContracts.Proto<ITasks>());
        RpcContracts.Register<IEarlier>(static _ => null!, static _ => null!, static _ => null!, static _ => null);
        Assert.Contains("earlier version", Assert.Throws<InvalidOperationException>(RpcContracts.Proto<IEarlier>).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AMessageIsFoundByItsType()
    {
        MessageCodec<Limit> codec = RpcContracts.Codec<Limit>();
        Assert.Same(ShapesRpc.Codecs.Limit, codec);
        Assert.Contains("typeof", Assert.Throws<InvalidOperationException>(RpcContracts.Codec<string>).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhatIsNoContractIsRefusedWithWhatToDo()
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        string text = Assert.Throws<InvalidOperationException>(server.Client.For<IDisposable>).Message;
        Assert.Contains("System.IDisposable", text, StringComparison.Ordinal);
        Assert.Contains("QuotesRpc.Client(client)", text, StringComparison.Ordinal);
    }

    /// <summary>The server lists them as the contract has them.</summary>
    [Fact]
    public async Task AServerKnowsOfItsMethodsWhatTheContractSays()
    {
        using var server = new OwnServer(TasksRpc.Service(new Tasks()));
        IReadOnlyList<RpcMethodInfo> methods = await RpcReflection.ListAsync(server.Client, TestContext.Current.CancellationToken);
        string[] expected =
        [
            "Add Unary", "Echo Unary", "Mention Unary one-way", "Plain Unary", "Pooled Unary", "PooledPlain Unary", "Progress Unary", "Read Unary idempotent", "ReadTwice Unary idempotent",
            "Tell Unary one-way", "Upload ClientStream", "Value Unary",
        ];
        Assert.Equal(expected, methods.Select(static method => $"{method.Name} {method.Kind}{(method.IsOneWay ? " one-way" : "")}{(method.IsOnce ? " once" : "")}{(method.IsIdempotent ? " idempotent" : "")}"));
        Assert.All(methods, static method => Assert.Equal("tasks.v1", method.Service));
    }

    /// <summary>Stands for a contract whose code was generated when files were not registered.</summary>
    private interface IEarlier
    {
    }
}
