using System;
using Ipc.Rpc;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Ipc.Grpc;

/// <summary>Ipc services as gRPC services.</summary>
/// <remarks>
/// <para>The application is a client of the Ipc server, which may be in this process or another, in C# or C++. The
/// messages are the contract's protobuf and pass through unread. A call has the same path, kind and messages as in the
/// contract's <c>.proto</c>: clients that protoc generates from it work unchanged.</para>
/// <para>Each call takes its deadline, cancellation and metadata along, and brings back status, text, details and
/// metadata. While there is no server, calls fail with <c>UNAVAILABLE</c>; the next call connects if there is
/// one.</para>
/// </remarks>
/// <example><code>
/// builder.Services.AddIpcGrpc();
/// WebApplication app = builder.Build();
/// app.MapIpcService&lt;IQuotes&gt;("quotes"); // what the Ipc server "quotes" serves
/// app.MapIpcReflection();
/// </code></example>
public static class IpcGrpcEndpointRouteBuilderExtensions
{
    /// <summary>Serves a contract that the Ipc server <paramref name="server"/> has. Connects with the first
    /// call.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <param name="endpoints">The application's.</param>
    /// <param name="server">The Ipc server's name. Services of one server share a connection, which ends with the
    /// application's services.</param>
    /// <returns>The service's endpoints, for example to require authorization: the Ipc server sees the application as
    /// its only client.</returns>
    /// <exception cref="InvalidOperationException">The contract is not registered, the service has been mapped already,
    /// or <see cref="IpcGrpcServiceCollectionExtensions.AddIpcGrpc"/> was not called; the text says which.</exception>
    public static GrpcServiceEndpointConventionBuilder MapIpcService<TContract>(
        this IEndpointRouteBuilder endpoints, string server)
        where TContract : class
        => endpoints.MapIpcService(server, RpcContracts.Proto<TContract>());

    /// <summary>Serves a contract over a connection of the application's own, which it disposes.</summary>
    /// <typeparam name="TContract">The contract, which has registered itself (<see cref="RpcContracts"/>).</typeparam>
    /// <param name="endpoints">The application's.</param>
    /// <param name="client">Connected or not. Its timeout holds besides the deadlines of calls; their metadata takes
    /// the place of its own.</param>
    /// <returns>The service's endpoints.</returns>
    /// <exception cref="InvalidOperationException">As above.</exception>
    public static GrpcServiceEndpointConventionBuilder MapIpcService<TContract>(
        this IEndpointRouteBuilder endpoints, RpcClient client)
        where TContract : class
        => endpoints.MapIpcService(client, RpcContracts.Proto<TContract>());

    /// <summary>Serves a contract for which the application has no C# interface, only its <c>.proto</c>: that of a C++
    /// service, for example.</summary>
    /// <param name="endpoints">The application's.</param>
    /// <param name="server">The Ipc server's name.</param>
    /// <param name="proto">The text of the file, as <c>ipc proto</c> prints it: its comments <c>// ipc:</c> have a
    /// meaning.</param>
    /// <returns>The service's endpoints.</returns>
    /// <exception cref="ArgumentException">The text is not the .proto of one contract.</exception>
    /// <exception cref="InvalidOperationException">The service has been mapped already, or
    /// <see cref="IpcGrpcServiceCollectionExtensions.AddIpcGrpc"/> was not called.</exception>
    public static GrpcServiceEndpointConventionBuilder MapIpcService(
        this IEndpointRouteBuilder endpoints, string server, string proto)
    {
        ArgumentNullException.ThrowIfNull(server);
        IpcGateways gateways = Gateways(endpoints);
        GatewayContract contract = GatewayContract.Parse(proto);
        return Map(endpoints, gateways, gateways.ClientOf(server), contract);
    }

    /// <summary>Serves a contract by its <c>.proto</c>, over a connection of the application's own, which it
    /// disposes.</summary>
    /// <param name="endpoints">The application's.</param>
    /// <param name="client">Connected or not.</param>
    /// <param name="proto">The text of the file.</param>
    /// <returns>The service's endpoints.</returns>
    /// <exception cref="ArgumentException">The text is not the .proto of one contract.</exception>
    /// <exception cref="InvalidOperationException">The service has been mapped already, or
    /// <see cref="IpcGrpcServiceCollectionExtensions.AddIpcGrpc"/> was not called.</exception>
    public static GrpcServiceEndpointConventionBuilder MapIpcService(
        this IEndpointRouteBuilder endpoints, RpcClient client, string proto)
    {
        ArgumentNullException.ThrowIfNull(client);
        return Map(endpoints, Gateways(endpoints), client, GatewayContract.Parse(proto));
    }

    /// <summary>Serves gRPC's server reflection (<c>grpc.reflection.v1</c> and <c>v1alpha</c>) for the contracts that
    /// are mapped, before or after: tools such as grpcurl list and call them by it.</summary>
    /// <remarks>It knows no other gRPC services of the application, and cannot be mapped beside
    /// <c>MapGrpcReflectionService</c>, which has the same paths. A contract that imports messages of other files,
    /// apart from protobuf's own, is listed but not described.</remarks>
    /// <param name="endpoints">The application's.</param>
    /// <returns>Its endpoints: whoever may call them learns what there is.</returns>
    /// <exception cref="InvalidOperationException"><see cref="IpcGrpcServiceCollectionExtensions.AddIpcGrpc"/> was not
    /// called.</exception>
    public static IEndpointConventionBuilder MapIpcReflection(this IEndpointRouteBuilder endpoints)
    {
        ReflectionService reflection = new(Gateways(endpoints));
        RouteGroupBuilder group = endpoints.MapGroup(string.Empty);
        foreach (string package in ReflectionService.Packages)
            group.MapGrpcService(reflection.Define(package));
        return group;
    }

    private static GrpcServiceEndpointConventionBuilder Map(
        IEndpointRouteBuilder endpoints, IpcGateways gateways, RpcClient client, GatewayContract contract)
    {
        gateways.Add(contract);
        return endpoints.MapGrpcService(new Gateway(client, contract, gateways.Options.SendExceptions).Define());
    }

    private static IpcGateways Gateways(IEndpointRouteBuilder endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return endpoints.ServiceProvider.GetService<IpcGateways>() ?? throw new InvalidOperationException(
            "The gateway's services are missing. Call builder.Services.AddIpcGrpc() before the application is built.");
    }
}
