"""A client of gRPC that was written without knowing of Ipc: python's, which finds out by reflection what there is.

    grpc_client.py --check           whether what it needs is installed
    grpc_client.py HOST:PORT         calls tests.v1.Tests in every shape; exit code 0 when all was as it should be
"""
import sys

SERVICE = "tests.v1.Tests"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def field(number, payload):
    """A field of type string or bytes, shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(payload)]) + payload


def reflection_messages():
    """The answer's message, as far as it is read here: reflection's own descriptors are not part of python's grpc."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    file = descriptor_pb2.FileDescriptorProto(name="reflection.proto", package="r", syntax="proto3")
    parts = {
        "Files": [("files", 1, 12, None)],
        "Service": [("name", 1, 9, None)],
        "Services": [("service", 1, 11, ".r.Service")],
        "Error": [("code", 1, 5, None), ("text", 2, 9, None)],
        "Answer": [("files", 4, 11, ".r.Files"), ("services", 6, 11, ".r.Services"), ("error", 7, 11, ".r.Error")],
    }
    for name, fields in parts.items():
        message = file.message_type.add(name=name)
        for one, number, kind, of in fields:
            repeated = (name, one) in (("Files", "files"), ("Services", "service"))
            message.field.add(name=one, number=number, type=kind, type_name=of, label=3 if repeated else 1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_class(pool, "r.Answer")


def message_class(pool, name):
    from google.protobuf import message_factory

    descriptor = pool.FindMessageTypeByName(name)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def same(what, expected, found):
    if expected != found:
        sys.exit("grpc_client.py: %s: %r instead of %r" % (what, found, expected))


class Tests:
    """Stubs, made of what reflection tells."""

    def __init__(self, channel):
        from google.protobuf import descriptor_pb2, descriptor_pool

        answer = reflection_messages()
        ask = channel.stream_stream(REFLECTION, None, answer.FromString)
        listed, described = list(ask(iter([field(7, b""), field(4, SERVICE.encode())]), timeout=60))
        if SERVICE not in [one.name for one in listed.services.service]:
            sys.exit("grpc_client.py: %s is not listed" % SERVICE)
        pool = descriptor_pool.DescriptorPool()
        for file in reversed(described.files.files):
            pool.Add(descriptor_pb2.FileDescriptorProto.FromString(file))
        for name in ("Blob", "CountRequest", "FailRequest", "SleepRequest"):
            setattr(self, name, message_class(pool, "tests.v1." + name))
        kinds = {}
        for file in described.files.files:
            for service in descriptor_pb2.FileDescriptorProto.FromString(file).service:
                for method in service.method:
                    kinds[method.name] = method
        for name, method in kinds.items():
            shape = "%s_%s" % tuple("stream" if s else "unary" for s in (method.client_streaming, method.server_streaming))
            of = message_class(pool, method.output_type[1:])
            call = getattr(channel, shape)("/%s/%s" % (SERVICE, name), lambda m: m.SerializeToString(), of.FromString)
            setattr(self, name, call)


def failure(call):
    import grpc

    try:
        call()
    except grpc.RpcError as error:
        return error
    sys.exit("grpc_client.py: a call that was to fail did not")


def main():
    try:
        import google.protobuf  # noqa: F401
        import grpc
    except ImportError:
        sys.exit("grpc_client.py: no grpc or protobuf here (Debian: python3-grpcio, python3-protobuf)")
    if sys.argv[1] == "--check":
        return

    with grpc.insecure_channel(sys.argv[1]) as channel:
        tests = Tests(channel)
        blob = lambda text: tests.Blob(data=text.encode())  # noqa: E731
        same("a call", b"from python", tests.Echo(blob("from python"), timeout=60).data)
        counted = list(tests.Count(tests.CountRequest(count=300, size=10), timeout=60))
        same("a stream down", [10] * 300, [len(item.data) for item in counted])
        same("a stream up", b"100 200", tests.Collect(iter([blob("ab")] * 100), timeout=60).data)
        parameters = (("ipc-request-bin", tests.CountRequest(count=3).SerializeToString()),)
        same("its parameters", b"3 6", tests.Collect(iter([blob("ab")] * 3), timeout=60, metadata=parameters).data)
        mirrored = [item.data for item in tests.Mirror(iter([blob("x"), blob("y")]), timeout=60)]
        same("streams both ways", [b"x", b"y"], mirrored)

        error = failure(lambda: tests.Fail(tests.FailRequest(status=5, text="nicht dä"), timeout=60))
        same("a status", (grpc.StatusCode.NOT_FOUND, "nicht dä"), (error.code(), error.details()))
        error = failure(lambda: tests.Sleep(tests.SleepRequest(ms=60000), timeout=0.2))
        same("a deadline", grpc.StatusCode.DEADLINE_EXCEEDED, error.code())
        _, call = tests.Labels.with_call(tests.Blob(), timeout=60, metadata=(("user", "ann"), ("user", "bob"), ("key-bin", b"\x00\xff")))
        labels = [entry for entry in call.trailing_metadata() if entry[0] in ("user", "key-bin")]
        same("metadata", [("key-bin", b"\x00\xff"), ("user", "ann"), ("user", "bob")], sorted(labels))


main()
