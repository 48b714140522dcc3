using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;

namespace Ipc.Tool;

/// <summary><c>ipc proto ASSEMBLY</c>: the contracts of an assembly as .proto files.</summary>
internal static class ProtoVerb
{
    public static Command Create(Terminal terminal)
    {
        var assembly = new Argument<string>("ASSEMBLY") { Description = "The .dll of a contract project. It is read, not run." };
        var service = new Option<string?>("--service") { Description = "Only this service.", HelpName = "SERVICE" };
        var output = new Option<string?>("--output", "-o") { Description = "Write SERVICE.proto files into this folder instead of printing.", HelpName = "FOLDER" };
        Option<bool> json = CommonOptions.Json();
        var command = new Command("proto", "Prints the .proto of each contract in an assembly.") { assembly, service, output, json };
        command.SetAction(parsed =>
        {
            string path = parsed.GetRequiredValue(assembly);
            List<(string Service, string Text)> found = ContractAssembly.Read(path);
            if (parsed.GetValue(service) is { } wanted)
                found.RemoveAll(one => one.Service != wanted);
            if (found.Count == 0)
                throw new ToolException(ExitCode.NotFound, $"{path} has no {(parsed.GetValue(service) is { } name ? $"service \"{name}\"" : "contract: no interface with [IpcService] was compiled into it")}.");
            if (parsed.GetValue(output) is { } folder)
                Save(terminal, folder, found);
            else if (parsed.GetValue(json))
                Json.Write(terminal.Out, found.Select(static one => new { one.Service, Proto = one.Text }));
            else
                terminal.Out.Write(string.Join("\n", found.Select(static one => one.Text)));
            return ExitCode.Ok;
        });
        return command;
    }

    private static void Save(Terminal terminal, string folder, List<(string Service, string Text)> found)
    {
        Directory.CreateDirectory(folder);
        foreach ((string service, string text) in found)
        {
            string file = Path.Combine(folder, service.Replace(Path.DirectorySeparatorChar, '_') + ".proto");
            File.WriteAllText(file, text);
            terminal.Out.WriteLine(Tame.Line(file));
        }
    }
}
