using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Ipc.Rpc;

namespace Ipc.Grpc;

/// <summary>gRPC's server reflection for the contracts that are mapped: tools find out by it what there is to
/// call.</summary>
internal sealed class ReflectionService(IpcGateways gateways)
{
    /// <summary>The two packages of the same service: tools ask for the newer one first, or know the older one
    /// only.</summary>
    public static readonly string[] Packages = ["grpc.reflection.v1", "grpc.reflection.v1alpha"];

    private const int NotFound = 5;
    private const string Service = ".ServerReflection";

    public ServerServiceDefinition Define(string package) => ServerServiceDefinition.CreateBuilder().AddMethod(
        new Method<Payload, Payload>(
            MethodType.DuplexStreaming,
            package + Service,
            "ServerReflectionInfo",
            Payload.Marshaller,
            Payload.Marshaller),
        Answer).Build();

    private async Task Answer(
        IAsyncStreamReader<Payload> requests, IServerStreamWriter<Payload> answers, ServerCallContext context)
    {
        DescriptorSet known = new(gateways.Contracts);
        while (await requests.MoveNext(context.CancellationToken).ConfigureAwait(false))
        {
            using Payload request = requests.Current;
            byte[] answer;
            try
            {
                answer = AnswerTo(request.Span, known);
            }
            catch (ProtoException e)
            {
                throw new RpcException(new Status(
                    StatusCode.InvalidArgument, "The request could not be decoded: " + e.Message));
            }

            await answers.WriteAsync(Payload.Of(answer), context.CancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>A <c>ServerReflectionResponse</c> to a <c>ServerReflectionRequest</c>.</summary>
    private static byte[] AnswerTo(ReadOnlySpan<byte> request, DescriptorSet known)
    {
        WireWriter answer = new();
        (int asked, byte[] what) = Read(request, answer);
        answer.Bytes(2, request);
        string name = Encoding.UTF8.GetString(what);
        switch (asked)
        {
            case 3:
                Give(answer, known, known.Named(name), "no file " + name);
                break;
            case 4:
                Give(answer, known, known.With(name), "no symbol " + name);
                break;
            case 6 when known.With(name) is not null:
                answer.Message(5, numbers => numbers.Text(1, name)); // proto3 has no extensions
                break;
            case 7:
                answer.Message(6, list =>
                {
                    foreach (string service in known.Services)
                        list.Message(1, one => one.Text(1, service));
                    foreach (string package in Packages)
                        list.Message(1, one => one.Text(1, package + Service));
                });
                break;
            default:
                Refuse(answer, asked is 5 or 6 ? "There are no extensions." : "That cannot be asked for here.");
                break;
        }

        return answer.Written.ToArray();
    }

    /// <summary>The number of what is asked and its value; the host is said again in the answer.</summary>
    private static (int Asked, byte[] What) Read(ReadOnlySpan<byte> request, WireWriter answer)
    {
        (int asked, byte[] what) = (0, Array.Empty<byte>());
        ProtoReader reader = new(request);
        while (reader.TryReadTag(out uint tag))
        {
            int field = (int)(tag >> 3);
            if ((tag & 7) != 2 || field > 7)
            {
                reader.SkipField(tag);
                continue;
            }

            byte[] value = reader.ReadBytes();
            if (field == 1)
                answer.Bytes(1, value);
            else
                (asked, what) = (field, value);
        }

        return (asked, what);
    }

    private static void Give(WireWriter answer, DescriptorSet known, DescriptorFile? file, string missing)
    {
        if (file is null)
        {
            Refuse(answer, "The gateway has " + missing + ".");
            return;
        }

        try
        {
            List<byte[]> files = known.Bytes(file);
            files.Reverse(); // what was asked for comes first
            answer.Message(4, response =>
            {
                foreach (byte[] one in files)
                    response.Bytes(1, one);
            });
        }
        catch (FormatException e)
        {
            Refuse(answer, e.Message);
        }
    }

    private static void Refuse(WireWriter answer, string text) => answer.Message(7, error =>
    {
        error.Number(1, NotFound);
        error.Text(2, text);
    });
}
