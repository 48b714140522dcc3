using System;
using System.IO;
using Google.Protobuf.Reflection;
using Ipc.Testing.Drive;

namespace Ipc.Grpc.Tests;

/// <summary>The compiler of .proto files, which a build of the C library needs anyway.</summary>
internal static class Protoc
{
    /// <summary>What it makes of a text, without the texts' places.</summary>
    public static FileDescriptorProto Read(string text)
    {
        using RegionDirectory folder = new();
        File.WriteAllText(Path.Combine(folder.Path, "file.proto"), text);
        string output = Path.Combine(folder.Path, "file.bin");
        using (OtherProcess protoc = new(false, null, "protoc", "--proto_path=" + folder.Path, "--descriptor_set_out=" + output, "file.proto"))
            protoc.MustEndWell();
        return FileDescriptorSet.Parser.ParseFrom(File.ReadAllBytes(output)).File[0];
    }
}
