using System;
using Ipc.Rpc;
using Xunit;

namespace IpcAddin._1;

/// <summary>The functions as Excel calls them, with a service in the same process, over shared memory as between two.</summary>
public sealed class FunctionTests : IDisposable
{
    private readonly RpcServer _server;

    public FunctionTests()
    {
        string name = "test-" + Guid.NewGuid().ToString("N");
        _server = RpcServer.Start(name, PricesRpc.Service(new Prices()));
        Service.Use(name, TimeSpan.FromMinutes(1)); // no test is about how fast the machine is
    }

    [Fact]
    public void ACellHasItsPrice() => Assert.Equal(101.5, Functions.IpcPrice("ACME"));

    [Fact]
    public void ARangeHasItsPricesInOneCall()
        => Assert.Equal(new object[,] { { 101.5, 7.25 } }, Functions.IpcPrices(new object[,] { { "ACME", "INITECH" } }));

    [Fact]
    public void WhatTheServiceDoesNotKnowIsAnException()
        => Assert.Equal(RpcStatus.NotFound, Assert.Throws<RpcCallException>(() => Functions.IpcPrice("NOBODY")).Status);

    [Fact]
    public void WithoutAServiceExcelDoesNotWait()
    {
        _server.Dispose();
        Assert.Equal(RpcStatus.Unavailable, Assert.Throws<RpcCallException>(() => Functions.IpcPrice("ACME")).Status);
    }

    public void Dispose() => _server.Dispose();
}
