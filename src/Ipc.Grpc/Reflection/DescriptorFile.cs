using System.Collections.Generic;
using Ipc.Rpc.Generator;

namespace Ipc.Grpc;

/// <summary>A <c>.proto</c> as reflection gives it out: a <c>FileDescriptorProto</c>.</summary>
internal sealed class DescriptorFile
{
    public DescriptorFile(string name, ProtoFile file, string? service = null)
    {
        Name = name;
        File = file;
        Service = service;
    }

    public string Name { get; }

    public ProtoFile File { get; }

    /// <summary>The service's name without the package; <see langword="null"/> when the file has none.</summary>
    public string? Service { get; }

    /// <summary>The messages and enums, by their full names.</summary>
    public IEnumerable<string> Types
    {
        get
        {
            foreach (string name in File.Messages.Keys)
                yield return File.Package + "." + name;
            foreach (string name in File.Enums.Keys)
                yield return File.Package + "." + name;
        }
    }

    /// <summary>All that a client may ask for by name: types, the service, its methods.</summary>
    public IEnumerable<string> Symbols
    {
        get
        {
            foreach (string type in Types)
                yield return type;
            if (Service is null)
                yield break;
            yield return File.Package + "." + Service;
            foreach (string method in File.Methods.Keys)
                yield return File.Package + "." + Service + "." + method;
        }
    }
}
