using System;
using System.Collections.Generic;
using System.IO;
using Ipc.Rpc.Generator;

namespace Ipc.Tool;

/// <summary>Contracts from files: .proto texts, or assemblies that hold them.</summary>
internal static class ContractLoader
{
    public static Contract Load(IEnumerable<string> paths)
    {
        List<ProtoFile> files = [];
        foreach (string path in paths)
        {
            if (!path.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) && !path.EndsWith(".exe", StringComparison.OrdinalIgnoreCase))
            {
                files.Add(Parse(path, File.ReadAllText(path)));
                continue;
            }

            List<(string Service, string Text)> texts = ContractAssembly.Read(path);
            if (texts.Count == 0)
                throw new ToolException(ExitCode.NotFound, $"{path} has no contract: no interface with [IpcService] was compiled into it.");
            foreach ((string service, string text) in texts)
                files.Add(Parse($"{path} ({service})", text));
        }

        return new Contract(files);
    }

    private static ProtoFile Parse(string path, string text)
    {
        try
        {
            return ProtoFileParser.Parse(text);
        }
        catch (FormatException error)
        {
            throw new ToolException(ExitCode.Unusable, $"{path} is no .proto: {error.Message}.");
        }
    }
}
