using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Grpc.Reflection.V1Alpha;
using Ipc.Testing.Drive;
using Microsoft.AspNetCore.Builder;
using Xunit;
using ITests = Ipc.Rpc.Peer.Interop.ITests;

namespace Ipc.Grpc.Tests;

/// <summary>Tools find out what there is to call.</summary>
public sealed class ReflectionTests : GatewayTest
{
    /// <summary>Every kind of field and scope, as protoc reads it: what reflection says is held against that.</summary>
    private const string Kinds = """
        syntax = "proto3";
        package kinds.v1;
        import "google/protobuf/any.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/timestamp.proto";
        message All {
          double double = 1; float float = 2; int64 int64 = 3; uint64 uint64 = 4; int32 int32 = 5; fixed64 fixed64 = 6;
          fixed32 fixed32 = 7; bool bool = 8; string string = 9; bytes bytes = 10; uint32 uint32 = 11;
          sfixed32 sfixed32 = 12; sfixed64 sfixed64 = 13; sint32 sint32 = 14; sint64 sint64 = 15;
          Color color = 16; Part one_part = 17; repeated Part more_parts = 18; optional int32 some_number = 19;
          map<string, Part> parts_by_name = 20; map<int32, Color> colors = 21; repeated int32 numbers = 22;
          google.protobuf.Timestamp at = 23; google.protobuf.Duration span = 24; google.protobuf.Any any = 25;
          optional string text2 = 26; Part.Inner inner = 27; kinds.v1.Part.Side side = 28;
        }
        message Part {
          Inner inner = 1; Side side = 2;
          message Inner { Part part = 1; Side side = 2; }
          enum Side { LEFT = 0; RIGHT = 1; }
        }
        enum Color { option allow_alias = true; NONE = 0; RED = 1; ROT = 1; BELOW = -1; }
        service Kinds {
          rpc One (All) returns (Part.Inner);
          rpc Down (Part) returns (stream All);
          rpc Up (stream Part) returns (All);
          rpc Both (stream .kinds.v1.Part) returns (stream kinds.v1.All);
        }
        """;

    /// <summary>Also by contracts that use one another's, which protoc would not take.</summary>
    [Fact]
    public void AFileThatSeveralImportIsGivenOnce()
    {
        DescriptorSet known = new(new[]
        {
            "package a.v1; message A { b.v1.B b = 1; google.protobuf.Timestamp at = 2; } service S { rpc Get (A) returns (b.v1.B); }",
            "package b.v1; message B { a.v1.A a = 1; google.protobuf.Timestamp at = 2; } service S { rpc Get (B) returns (a.v1.A); }",
        }.Select(GatewayContract.Parse));
        string[] given = [.. known.Bytes(known.Named("a.v1.S.proto")!).Select(static bytes => FileDescriptorProto.Parser.ParseFrom(bytes).Name)];
        Assert.Equal(["google/protobuf/timestamp.proto", "b.v1.S.proto", "a.v1.S.proto"], given);
    }

    [Theory]
    [InlineData("grpc.reflection.v1")]
    [InlineData("grpc.reflection.v1alpha")]
    public async Task ServicesAreListedAndDescribed(string package)
    {
        await StartAsync(map: static app =>
        {
            app.MapIpcReflection();
            app.MapIpcService<ITests>(Name);
            app.MapIpcService("kinds", Kinds);
        });
        ServerReflectionResponse[] answers = await Ask(
            package,
            new() { Host = "me", ListServices = "" },
            new() { FileContainingSymbol = "tests.v1.Tests" },
            new() { FileContainingSymbol = "tests.v1.Tests.Echo" },
            new() { FileByFilename = "google/protobuf/empty.proto" },
            new() { AllExtensionNumbersOfType = "tests.v1.Blob" });
        Assert.Equal(
            ["tests.v1.Tests", "kinds.v1.Kinds", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"],
            answers[0].ListServicesResponse.Service.Select(static one => one.Name));
        Assert.Equal(("me", "me"), (answers[0].ValidHost, answers[0].OriginalRequest.Host));
        FileDescriptor file = Linked(answers[1])["tests.v1.Tests.proto"];
        ServiceDescriptor service = Assert.Single(file.Services);
        FileDescriptor expected = global::Tests.V1.TestsReflection.Descriptor;
        Assert.Equal(
            expected.Services[0].Methods.Select(static method => method.ToProto()),
            service.Methods.Select(static method => method.ToProto()));
        Assert.Equal(
            expected.MessageTypes.Select(static message => message.ToProto()),
            file.MessageTypes.Select(WithoutJsonNames));
        Assert.Equal(answers[1].FileDescriptorResponse, answers[2].FileDescriptorResponse);
        Assert.Single(answers[3].FileDescriptorResponse.FileDescriptorProto);
        Assert.Equal("tests.v1.Blob", answers[4].AllExtensionNumbersResponse.BaseTypeName);
    }

    [Fact]
    public async Task WhatIsDescribedIsWhatProtocReads()
    {
        await StartAsync(map: static app =>
        {
            app.MapIpcService("kinds", Kinds);
            app.MapIpcReflection();
        });
        ServerReflectionResponse answer = (await Ask("grpc.reflection.v1alpha", new ServerReflectionRequest { FileContainingSymbol = "kinds.v1.Part.Side" })).Single();
        FileDescriptorProto told = Linked(answer)["kinds.v1.Kinds.proto"].ToProto();
        FileDescriptorProto read = Protoc.Read(Kinds);
        read.Name = told.Name;
        // protoc writes types in the order in which they stand; which map's entry comes first makes no difference
        foreach (DescriptorProto message in told.MessageType.Concat(read.MessageType))
        {
            DescriptorProto[] sorted = [.. message.NestedType.OrderBy(static nested => nested.Name, StringComparer.Ordinal)];
            message.NestedType.Clear();
            message.NestedType.AddRange(sorted);
        }

        Assert.Equal(read, told);
    }

    [Fact]
    public async Task WhatIsNotThereIsNotFound()
    {
        const string Foreign = "package foreign.v1; import \"other.proto\"; service Foreign { rpc Take (other.Thing) returns (other.Thing); }";
        await StartAsync(map: static app =>
        {
            app.MapIpcService("foreign", Foreign);
            app.MapIpcReflection();
        });
        ServerReflectionResponse[] answers = await Ask(
            "grpc.reflection.v1",
            new() { FileContainingSymbol = "no.Such" },
            new() { FileByFilename = "no.proto" },
            new() { FileContainingExtension = new ExtensionRequest { ContainingType = "foreign.v1.M", ExtensionNumber = 1 } },
            new() { AllExtensionNumbersOfType = "no.Such" },
            new(),
            new() { FileContainingSymbol = "foreign.v1.Foreign" });
        Assert.All(answers, static answer => Assert.Equal((int)StatusCode.NotFound, answer.ErrorResponse.ErrorCode));
        Assert.Contains("no.Such", answers[0].ErrorResponse.ErrorMessage, StringComparison.Ordinal);
        Assert.Contains("uses other.Thing", answers[5].ErrorResponse.ErrorMessage, StringComparison.Ordinal);
    }

    /// <summary>Generated code leaves them out.</summary>
    private static DescriptorProto WithoutJsonNames(MessageDescriptor message)
    {
        DescriptorProto proto = message.ToProto();
        foreach (FieldDescriptorProto field in proto.Field)
            field.ClearJsonName();
        return proto;
    }

    /// <summary>One stream of questions, by the generated client of the older package; only the path tells the two apart.</summary>
    private async Task<ServerReflectionResponse[]> Ask(string package, params ServerReflectionRequest[] requests)
    {
        Method<ServerReflectionRequest, ServerReflectionResponse> method = new(
            MethodType.DuplexStreaming, package + ".ServerReflection", "ServerReflectionInfo",
            Marshallers.Create(static request => request.ToByteArray(), ServerReflectionRequest.Parser.ParseFrom),
            Marshallers.Create(static response => response.ToByteArray(), ServerReflectionResponse.Parser.ParseFrom));
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> call =
            Channel().CreateCallInvoker().AsyncDuplexStreamingCall(method, null, new CallOptions(cancellationToken: Hang));
        List<ServerReflectionResponse> answers = [];
        foreach (ServerReflectionRequest request in requests)
        {
            await call.RequestStream.WriteAsync(request, Hang);
            Assert.True(await call.ResponseStream.MoveNext(Hang));
            answers.Add(call.ResponseStream.Current);
        }

        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(Hang));
        return [.. answers];
    }

    /// <summary>The files of an answer, checked and linked by Google.Protobuf. It has those that they import, so that nothing need be asked twice.</summary>
    private static Dictionary<string, FileDescriptor> Linked(ServerReflectionResponse answer)
    {
        Assert.True(answer.FileDescriptorResponse is not null, answer.ToString());
        return FileDescriptor.BuildFromByteStrings(answer.FileDescriptorResponse.FileDescriptorProto.Reverse()).ToDictionary(static file => file.Name);
    }
}
